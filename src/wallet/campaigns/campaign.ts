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
