import { Type } from 'typebox'
import { daysAfter } from '#kit/clock'
import { IsoDateText, instantOf } from '#kit/iso-date'
import { invalidField } from '#kit/refusal'

/** A date in a body. */
export const NeededIsoDate = IsoDateText

/** A date in a body or query string that may be left out. */
export const IsoDate = (meaning?: string, example?: string) => Type.Optional(IsoDateText(meaning, example))

export function instantOrUndefined(text: string | undefined, timezone: string): Temporal.Instant | undefined {
  return text === undefined ? undefined : (instantOf(text, timezone) ?? undefined)
}

/** The instant this many days ahead on the shop's calendar, at the same hour of the day there. Null without days. */
export function daysAhead(now: Temporal.Instant, days: number | undefined, timezone: string): Temporal.Instant | null {
  return days === undefined ? null : daysAfter(now, days, timezone)
}

const FIVE_YEARS = { years: 5 }
export const A_YEAR_OF_DAYS = { days: 365 }

/** A future date of a body; null when it is left out. Refuses a date that is not after now, or too far ahead. */
export function futureOrNull(
  field: string,
  text: string | undefined,
  timezone: string,
  now: Temporal.Instant,
  max: { years: number } | { days: number } = FIVE_YEARS
): Temporal.Instant | null {
  const instant = instantOrUndefined(text, timezone)
  if (!instant) return null
  const latest = now.toZonedDateTimeISO(timezone).add(max).toInstant()
  if (Temporal.Instant.compare(instant, now) > 0 && Temporal.Instant.compare(instant, latest) <= 0) return instant
  const [unit, count] = Object.entries(max)[0]!
  throw invalidField(field, `must be a date after now and at most ${count} ${unit} ahead`)
}
