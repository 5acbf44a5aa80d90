import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'

const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/
const TIME = /^((?!0000)\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+ -]\d{2}:\d{2})?$/

// PostgreSQL gets instants with four-digit years. A day at either end may have another year in UTC.
const EARLIEST = Temporal.Instant.from('0001-01-01T00:00:00Z')
const LATEST = Temporal.Instant.from('9999-12-31T23:59:59.999Z')

/** A date filter of a list (spec 1, Endpoints: "ISO date"), or a date in a body. */
export const IsoDate = (meaning?: string, example = '2026-01-31') => Type.Optional(NeededIsoDate(meaning, example))

export const NeededIsoDate = (meaning?: string, example = '2026-01-31') =>
  Type.Refine(
    Type.String({
      description: 'an ISO date from 0001-01-01 to 9999-12-31, or a date-time such as 2026-01-31T12:00:00Z',
      ...(meaning && { meaning }),
      examples: [example]
    }),
    (text) => instantOf(text, 'UTC') !== null
  )

/**
 * The instant of a date: a day is midnight in the shop; a date-time without an offset is shop time. Null when the text is
 * neither. A space counts as the plus sign that it was before the URL was decoded.
 */
function instantOf(text: string, timezone: string): Temporal.Instant | null {
  try {
    if (DAY.test(text)) return kept(Temporal.PlainDate.from(text).toZonedDateTime(timezone).toInstant())
    const [, local, offset] = TIME.exec(text) ?? []
    if (!local) return null
    if (offset) return kept(Temporal.Instant.from(local + offset.replace(' ', '+')))
    return kept(Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).toInstant())
  } catch {
    return null
  }
}

function kept(instant: Temporal.Instant): Temporal.Instant {
  if (Temporal.Instant.compare(instant, EARLIEST) < 0) return EARLIEST
  return Temporal.Instant.compare(instant, LATEST) > 0 ? LATEST : instant
}

export function instantOrUndefined(text: string | undefined, timezone: string): Temporal.Instant | undefined {
  return text === undefined ? undefined : (instantOf(text, timezone) ?? undefined)
}

/** The instant this many days ahead on the shop's calendar, at the same hour of the day there. Null without days. */
export function daysAhead(now: Temporal.Instant, days: number | undefined, timezone: string): Temporal.Instant | null {
  return days === undefined ? null : now.toZonedDateTimeISO(timezone).add({ days }).toInstant()
}

const FIVE_YEARS = { years: 5 }
export const A_YEAR_OF_DAYS = { days: 365 }

/** A future date of a body; null when it is left out. Refuses a date that is not after now, or too far ahead. */
export function futureOrNull(
  field: string,
  text: string | undefined,
  timezone: string,
  now: Temporal.Instant,
  most: { years: number } | { days: number } = FIVE_YEARS
): Temporal.Instant | null {
  const instant = instantOrUndefined(text, timezone)
  if (!instant) return null
  const latest = now.toZonedDateTimeISO(timezone).add(most).toInstant()
  if (Temporal.Instant.compare(instant, now) > 0 && Temporal.Instant.compare(instant, latest) <= 0) return instant
  const [unit, count] = Object.entries(most)[0]!
  throw invalidField(field, `must be a date after now and at most ${count} ${unit} ahead`)
}
