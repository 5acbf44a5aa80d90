import { Type } from 'typebox'

const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/
const TIME = /^((?!0000)\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+ -]\d{2}:\d{2})?$/

// PostgreSQL is given instants with four-digit years; a day that has one in its time zone may have another in UTC.
const EARLIEST = Temporal.Instant.from('0001-01-01T00:00:00Z')
const LATEST = Temporal.Instant.from('9999-12-31T23:59:59.999Z')

/** A date of a request (spec 1, Endpoints: "ISO date"). `meaning`: what it does. */
export const IsoDateText = (meaning?: string, example = '2026-01-31') =>
  Type.Refine(
    Type.String({
      formats: ['date', 'date-time'],
      description: 'an ISO date from 0001-01-01 to 9999-12-31, or a date-time such as 2026-01-31T12:00:00Z',
      ...(meaning && { meaning }),
      examples: [example]
    }),
    (text) => instantOf(text, 'UTC') !== null
  )

/**
 * The instant that a date means: a day is midnight in the time zone; a date-time without an offset is local to it. Null for
 * a text that is neither. A space counts as the plus sign that it was before the URL was decoded.
 */
export function instantOf(text: string, timezone: string): Temporal.Instant | null {
  try {
    if (DAY.test(text)) return withinYears(Temporal.PlainDate.from(text).toZonedDateTime(timezone).toInstant())
    const [, local, offset] = TIME.exec(text) ?? []
    if (!local) return null
    if (offset) return withinYears(Temporal.Instant.from(local + offset.replace(' ', '+')))
    return withinYears(Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).toInstant())
  } catch {
    return null
  }
}

function withinYears(instant: Temporal.Instant): Temporal.Instant {
  if (Temporal.Instant.compare(instant, EARLIEST) < 0) return EARLIEST
  return Temporal.Instant.compare(instant, LATEST) > 0 ? LATEST : instant
}
