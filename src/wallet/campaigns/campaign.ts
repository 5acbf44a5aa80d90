import { bool, instant, int, nullable, type RowOf, row, text } from '#kit/postgres'

export const CampaignRow = row({
  id: int,
  title: text,
  message: text,
  /** Path of its picture for the storefront; "" for none. */
  image: text,
  isEnabled: bool,
  startsAt: nullable(instant),
  endsAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})
/** A sale that passes show. `isActive`: enabled and within its dates by the store's clock. */
export type Campaign = RowOf<typeof CampaignRow> & { isActive: boolean }

/** What decides whether a campaign is active. */
export type CampaignDates = Pick<Campaign, 'isEnabled' | 'startsAt' | 'endsAt'>

/** Whether a campaign is active at an instant of the store's clock, and when that changes next; null: it does not by itself. */
export function activityOf(
  { isEnabled, startsAt, endsAt }: CampaignDates,
  now: Temporal.Instant
): { isActive: boolean; dueAt: Temporal.Instant | null } {
  const isOver = endsAt !== null && Temporal.Instant.compare(endsAt, now) <= 0
  if (!isEnabled || isOver) return { isActive: false, dueAt: null }
  const hasBegun = startsAt === null || Temporal.Instant.compare(startsAt, now) <= 0
  return hasBegun ? { isActive: true, dueAt: endsAt } : { isActive: false, dueAt: startsAt }
}
