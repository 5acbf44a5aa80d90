import { bool, day, int, isoInstant, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

// What reads return, before the dialect of a surface: minor units, internal ids, null for "none". Instants are already ISO text,
// because a page of a list has hundreds of them and nobody computes with them. Surfaces make global ids of the numeric ids here.

/** A customer who holds or held a membership or a subscription (spec 1, Member; decisions in docs/decisions). */
export const MemberView = row({
  id: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  status: oneOf('active', 'paused', 'cancelled'),
  planId: nullable(int),
  planName: nullable(text),
  tier: nullable(text),
  loyaltyTier: nullable(text),
  loyaltyPoints: int,
  storeCreditMinor: int,
  currency: text,
  birthDate: nullable(day),
  memberSince: isoInstant,
  nextBillingAt: nullable(isoInstant),
  createdAt: isoInstant,
  updatedAt: isoInstant
})
export type MemberView = RowOf<typeof MemberView>

/** A subscription with its customer and plan (spec 1, payload of subscription.created). `status` is one of our five. */
export const SubscriptionView = row({
  id: int,
  platformContractId: text,
  memberId: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  planId: nullable(int),
  planName: text,
  status: oneOf('active', 'paused', 'cancelled', 'failed', 'expired'),
  priceMinor: int,
  memberDiscountMinor: int,
  grantedDiscountMinor: int,
  currency: text,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  cycleIndex: int,
  maxCycles: nullable(int),
  trialEndsAt: nullable(isoInstant),
  nextBillingAt: nullable(isoInstant),
  pausedAt: nullable(isoInstant),
  resumesAt: nullable(isoInstant),
  cancelledAt: nullable(isoInstant),
  cancelReason: nullable(text),
  graceEndsAt: nullable(isoInstant),
  /** A change of terms that the platform's contract does not have yet. */
  pendingPlanId: nullable(int),
  pendingPriceMinor: nullable(int),
  pendingInterval: nullable(oneOf('day', 'week', 'month', 'year')),
  pendingIntervalCount: nullable(int),
  pendingPaymentMethodId: nullable(text),
  changeRequestedAt: nullable(isoInstant),
  /** The receiver of a gifted subscription; all null for one that was not gifted. */
  receiverMemberId: nullable(int),
  receiverPlatformId: nullable(text),
  receiverEmail: nullable(text),
  receiverFirstName: nullable(text),
  receiverLastName: nullable(text),
  giftedAt: nullable(isoInstant),
  /** The active offer, as `contractOfferOf` of churn reads it. */
  offer: nullable(json<Record<string, unknown>>()),
  createdAt: isoInstant,
  updatedAt: isoInstant
})
export type SubscriptionView = RowOf<typeof SubscriptionView>

export type PaymentMethod = { type: string; lastFour: string | null; brand: string | null }

/** A billing attempt with its order. `retryAt` is null when no retry follows. */
export const BillingAttemptView = row({
  id: int,
  subscriptionId: int,
  status: oneOf('pending', 'success', 'failed'),
  amountMinor: int,
  currency: text,
  scheduledAt: isoInstant,
  attemptNumber: int,
  cycleIndex: int,
  errorCode: nullable(text),
  errorMessage: nullable(text),
  declineCode: nullable(text),
  retryAt: nullable(isoInstant),
  attemptsRemaining: int,
  /** Whether it succeeded after a decline of the same cycle. */
  recovered: bool,
  chargedAfterStop: bool,
  orderId: nullable(int),
  platformOrderId: nullable(text),
  orderNumber: nullable(text),
  paymentMethod: nullable(json<PaymentMethod>()),
  /** Where the customer has to confirm the payment; `actionRequiredAt` is null for an attempt that never waited for that. */
  actionUrl: nullable(text),
  actionRequiredAt: nullable(isoInstant),
  actionReminders: int,
  createdAt: isoInstant,
  completedAt: nullable(isoInstant)
})
export type BillingAttemptView = RowOf<typeof BillingAttemptView>

/** One page of a list: its rows, and how many rows match in total. */
export type Page<T> = { rows: T[]; total: number }
