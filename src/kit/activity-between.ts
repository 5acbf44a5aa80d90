/** What can be switched on, and has dates at which it begins and ends; null: from now on, and without end. */
export type Dates = { isEnabled: boolean; startsAt: Temporal.Instant | null; endsAt: Temporal.Instant | null }

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
