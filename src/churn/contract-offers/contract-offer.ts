import type { Static } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import type { ContractOfferBody } from '#resources'
import { offerJson, termColumns } from '../offers/offer.ts'

const ENDED_BY = ['used', 'charged', 'revoked', 'removed', 'lost'] as const

export const ContractOfferRow = row({
  id: int,
  subscriptionId: int,
  offerId: int,
  name: text,
  description: nullable(text),
  ...termColumns,
  status: oneOf('applying', 'active', 'cancelled'),
  /** The reason that was shown with it, where it is known. */
  reason: nullable(text),
  grantId: nullable(int),
  /** Of the platform's discount: its global id, its title, and how many orders had it. */
  discountGid: nullable(text),
  discountTitle: nullable(text),
  usedCycles: nullable(int),
  creditEntryId: nullable(int),
  formerInterval: nullable(oneOf('day', 'week', 'month', 'year')),
  formerIntervalCount: nullable(int),
  nextBillingAt: nullable(instant),
  acceptedAt: instant,
  /** Since when its contract has ended. */
  lostAt: nullable(instant),
  endedAt: nullable(instant),
  endedBy: nullable(oneOf(...ENDED_BY)),
  updatedAt: instant
})

/** An offer that was accepted on a contract, as it was then. */
export type ContractOffer = RowOf<typeof ContractOfferRow>

/** One that PostgreSQL has made an object of, with `discount_gid` and `used_cycles` of its grant. */
export function contractOfferOf(object: Record<string, unknown>): ContractOffer {
  const times = ['next_billing_at', 'accepted_at', 'lost_at', 'ended_at', 'updated_at'].map((name) => [
    name,
    object[name] === null ? null : Temporal.Instant.from(object[name] as string)
  ])
  return ContractOfferRow({ ...object, ...Object.fromEntries(times) })
}

const INTERVAL_NAMES = { day: 'DAY', week: 'WEEK', month: 'MONTH', year: 'YEAR' } as const

/** What it gives on the contract (spec 2, reward). Instants are ISO 8601. */
function rewardJson(one: ContractOffer): Static<typeof ContractOfferBody>['reward'] {
  switch (one.type) {
    case 'discount_price':
      return {
        gid: one.discountGid ?? '',
        title: one.discountTitle ?? '',
        target_type: one.target === 'shipping_line' ? ('SHIPPING_LINE' as const) : ('LINE_ITEM' as const),
        recurring_cycle_limit: one.cycles,
        usage_count: one.usedCycles ?? 0,
        applies_on_each_item: one.isOfEachItem,
        discount_type: one.percent === null ? ('fixed_amount' as const) : ('percentage' as const),
        value: one.percent ?? numberOf(one.amountMinor!, one.currency),
        deleted_at: isoOrNull(one.endedAt)
      }
    case 'change_frequency':
      return {
        interval_count: one.intervalCount!,
        interval_name: INTERVAL_NAMES[one.interval!],
        next_billing_date: isoOrNull(one.nextBillingAt)
      }
    case 'add_store_credits':
      return {
        credit_amount: numberOf(one.creditMinor!, one.currency),
        currency: one.currency,
        transaction_id: one.creditEntryId === null ? null : publicId('sct', one.creditEntryId)
      }
  }
}

/** A contract offer as the Churn API has it (spec 2). One that is being applied is none yet. */
export const contractOfferJson = (one: ContractOffer): Static<typeof ContractOfferBody> => ({
  offer: offerJson({ ...one, id: one.offerId }),
  reward: rewardJson(one),
  status: one.status === 'active' ? ('Active' as const) : ('Cancelled' as const),
  deleted_at: isoOrNull(one.endedAt)
})
