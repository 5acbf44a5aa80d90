/** An instant as the direct API and webhooks print it: ISO 8601 in UTC, milliseconds. */
export function isoOf(instant: Temporal.Instant): string {
  return instant.toString({ smallestUnit: 'millisecond' })
}

export function isoOrNull(instant: Temporal.Instant | null): string | null {
  return instant && isoOf(instant)
}

const zones = new Map<string, boolean>()

/** Whether the name is an IANA time zone. */
export function isTimezone(name: string): boolean {
  let known = zones.get(name)
  if (known === undefined) {
    try {
      // Offsets such as +02:00 are valid zones for Temporal, but not IANA names.
      known = /^[A-Za-z]/.test(name) && Boolean(Temporal.Now.zonedDateTimeISO(name))
    } catch {
      known = false
    }
    zones.set(name, known)
  }
  return known
}

/** Real time, for leases, rate limits and process health. Domain code uses `ctx.now`, the store's time. */
export function realNow(): Temporal.Instant {
  return Temporal.Now.instant()
}

/** Real time in epoch milliseconds, for code that reads it many times a second. */
export function realNowMs(): number {
  return Date.now()
}

/** The earliest of several instants; null when there is none. */
export function earliest(...instants: (Temporal.Instant | null)[]): Temporal.Instant | null {
  return instants.reduce<Temporal.Instant | null>(
    (a, b) => (a === null ? b : b === null ? a : Temporal.Instant.compare(a, b) <= 0 ? a : b),
    null
  )
}

/** So many days later on the calendar of the shop, at the same hour of the day there: a day may have 23 or 25 hours. */
export const daysAfter = (at: Temporal.Instant, days: number, timezone: string): Temporal.Instant =>
  at.toZonedDateTimeISO(timezone).add({ days }).toInstant()

/** What can be switched on, and has dates at which it begins and ends; null: from now on, and without end. */
type Dates = { isEnabled: boolean; startsAt: Temporal.Instant | null; endsAt: Temporal.Instant | null }

/** Whether it is active at an instant, and when that changes next; null: it does not by itself. */
export function activityBetween(
  { isEnabled, startsAt, endsAt }: Dates,
  now: Temporal.Instant
): { isActive: boolean; dueAt: Temporal.Instant | null } {
  const isOver = endsAt !== null && Temporal.Instant.compare(endsAt, now) <= 0
  if (!isEnabled || isOver) return { isActive: false, dueAt: null }
  const hasBegun = startsAt === null || Temporal.Instant.compare(startsAt, now) <= 0
  return hasBegun ? { isActive: true, dueAt: endsAt } : { isActive: false, dueAt: startsAt }
}
