import { instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

export const REFERRAL_STATES = ['checking', 'valid', 'refused'] as const
const REASONS = ['same_customer', 'same_email', 'same_address', 'not_new', 'referrer_gone'] as const
/** Why an order with the code of a customer is no referral. */
export type RefusedReferral = (typeof REASONS)[number]
export const referralReason = nullable(oneOf(...REASONS))

/** What operators see: one that is valid is counted by a rule now, or by none. */
export const REFERRAL_STATUSES = ['checking', 'counted', 'not_counted', 'refused'] as const
export type ReferralStatus = (typeof REFERRAL_STATUSES)[number]

export const ReferralRow = row({
  id: int,
  orderId: int,
  orderName: text,
  friendId: int,
  referrerId: int,
  code: text,
  status: oneOf(...REFERRAL_STATUSES),
  reason: referralReason,
  orderedAt: instant,
  updatedAt: instant
})
/** An order with the code of a customer. */
export type Referral = RowOf<typeof ReferralRow>
