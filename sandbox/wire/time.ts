/** Instants in the GraphQL API: whole seconds in UTC. */
export function wireInstant(instant: Temporal.Instant): string {
  return instant.toString({ smallestUnit: 'second' })
}

/** Instants in webhooks and REST: whole seconds with the shop's offset. */
export function shopInstant(instant: Temporal.Instant, timezone: string): string {
  return instant
    .toZonedDateTimeISO(timezone)
    .toString({ smallestUnit: 'second', timeZoneName: 'never', calendarName: 'never' })
}

export function shopInstantOrNull(instant: Temporal.Instant | null, timezone: string): string | null {
  return instant && shopInstant(instant, timezone)
}
