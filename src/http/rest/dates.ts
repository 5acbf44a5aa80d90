import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'

// Four-digit years that PostgreSQL holds in every zone.
const DAY = /^[1-8]\d{3}-\d{2}-\d{2}$/
const TIME = /^([1-8]\d{3}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+ -]\d{2}:\d{2})?$/

/** A date filter of a list (spec 1, Endpoints: "ISO date"). */
export const IsoDate = (meaning?: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({
        description: 'an ISO date such as 2026-01-31, or a date-time such as 2026-01-31T12:00:00Z',
        ...(meaning && { meaning }),
        examples: ['2026-01-31']
      }),
      (text) => instantOf(text, 'UTC') !== null
    )
  )

/**
 * What a date filter means: a date is midnight in the shop, a date-time is taken as it is, in shop time when it names no
 * offset. Null when it is neither. A space counts as the plus sign that it was before the URL was decoded.
 */
function instantOf(text: string, timezone: string): Temporal.Instant | null {
  try {
    if (DAY.test(text)) return Temporal.PlainDate.from(text).toZonedDateTime(timezone).toInstant()
    const [, local, offset] = TIME.exec(text) ?? []
    if (!local) return null
    if (offset) return Temporal.Instant.from(local + offset.replace(' ', '+'))
    return Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).toInstant()
  } catch {
    return null
  }
}

export function instantOrUndefined(text: string | undefined, timezone: string): Temporal.Instant | undefined {
  return text === undefined ? undefined : (instantOf(text, timezone) ?? undefined)
}

const MOST_YEARS_AHEAD = 5

/** A date that lies ahead, in a body; null when it is left out. Refuses one that is not after now, or years away. */
export function futureOrNull(
  field: string,
  text: string | undefined,
  timezone: string,
  now: Temporal.Instant
): Temporal.Instant | null {
  const instant = instantOrUndefined(text, timezone)
  if (!instant) return null
  const latest = now.toZonedDateTimeISO(timezone).add({ years: MOST_YEARS_AHEAD }).toInstant()
  if (Temporal.Instant.compare(instant, now) > 0 && Temporal.Instant.compare(instant, latest) <= 0) return instant
  throw invalidField(field, `takes a date after now and at most ${MOST_YEARS_AHEAD} years ahead`)
}
