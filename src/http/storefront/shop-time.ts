/** Shop time to the minute, `Y-m-d H:i`; empty when there is none: this surface has no nulls (spec 2, conventions). */
export function shopMinute(instant: Temporal.Instant | null, timezone: string): string {
  if (instant === null) return ''
  return instant.toZonedDateTimeISO(timezone).toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ')
}

/** The day in the shop, `Y-m-d`; empty when there is none. */
export const shopDay = (instant: Temporal.Instant | null, timezone: string): string =>
  instant === null ? '' : instant.toZonedDateTimeISO(timezone).toPlainDate().toString()
