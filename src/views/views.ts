import { bool, day, int, isoInstant, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

// What the read side shows, before any surface's dialect: minor units, internal ids, null for "none"; instants are already
// ISO text, since a page of a list holds hundreds that nobody computes with.
// Global ids are made at the surface from the store's platform profile and the numeric ids here.

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

/** A subscription with its customer and plan (spec 1, payload of subscription.created). `status` is ours, all five. */
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
  /** Who holds it where it was given away; all null where it was not. */
  receiverMemberId: nullable(int),
  receiverPlatformId: nullable(text),
  receiverEmail: nullable(text),
  receiverFirstName: nullable(text),
  receiverLastName: nullable(text),
  giftedAt: nullable(isoInstant),
  createdAt: isoInstant,
  updatedAt: isoInstant
})
export type SubscriptionView = RowOf<typeof SubscriptionView>

export type PaymentMethod = { type: string; lastFour: string | null; brand: string | null }

/** A billing attempt with the order it led to. `retryAt` is null when no retry follows. */
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
  /** A success after a decline of its cycle. */
  recovered: bool,
  chargedAfterStop: bool,
  orderId: nullable(int),
  platformOrderId: nullable(text),
  orderNumber: nullable(text),
  paymentMethod: nullable(json<PaymentMethod>()),
  /** Where the customer has to confirm the payment; `actionRequiredAt` is null of one that never waited for that. */
  actionUrl: nullable(text),
  actionRequiredAt: nullable(isoInstant),
  actionReminders: int,
  createdAt: isoInstant,
  completedAt: nullable(isoInstant)
})
export type BillingAttemptView = RowOf<typeof BillingAttemptView>

/** One page of a list: its rows, and how many match in all. */
export type Page<T> = { rows: T[]; total: number }
