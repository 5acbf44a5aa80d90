import { day, instant, int, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

// What the read side shows, before any surface's dialect: instants, minor units, internal ids, null for "none".
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
  memberSince: instant,
  nextBillingAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
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
  trialEndsAt: nullable(instant),
  nextBillingAt: nullable(instant),
  pausedAt: nullable(instant),
  resumesAt: nullable(instant),
  cancelledAt: nullable(instant),
  cancelReason: nullable(text),
  createdAt: instant,
  updatedAt: instant
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
  scheduledAt: instant,
  attemptNumber: int,
  cycleIndex: int,
  errorCode: nullable(text),
  errorMessage: nullable(text),
  declineCode: nullable(text),
  retryAt: nullable(instant),
  attemptsRemaining: int,
  orderId: nullable(int),
  platformOrderId: nullable(text),
  orderNumber: nullable(text),
  paymentMethod: nullable(json<PaymentMethod>()),
  createdAt: instant,
  completedAt: nullable(instant)
})
export type BillingAttemptView = RowOf<typeof BillingAttemptView>

/** One page of a list: its rows, and how many match in all. */
export type Page<T> = { rows: T[]; total: number }

/** How many rows match. */
export const Total = row({ total: int })
