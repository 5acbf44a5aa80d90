import { instant, int, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

export type PaymentMethod = { type: string; lastFour: string | null; brand: string | null }

/** A subscription with the customer and plan that its events tell of. */
export const Subscription = row({
  id: int,
  /** Who pays: the contract's customer, and of a gift the giver. */
  memberId: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  planId: nullable(int),
  /** The version of the plan that it runs under; null without a plan. */
  planVersion: nullable(int),
  platformContractId: text,
  platformRevision: text,
  name: text,
  status: oneOf('active', 'paused', 'cancelled', 'failed', 'expired'),
  priceMinor: int,
  currency: text,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  anchorAt: instant,
  anchorCycle: int,
  cycleIndex: int,
  nextCycle: int,
  nextBillingAt: nullable(instant),
  billingDueAt: nullable(instant),
  declines: int,
  /** Failures of the present cycle because goods are not there. */
  inventoryFailures: int,
  /** When a charge that waits for a new payment method is given up. */
  givesUpAt: nullable(instant),
  /** How many cycles were paid, which is what a fixed number of them counts. */
  cyclesPaid: int,
  maxCycles: nullable(int),
  trialEndsAt: nullable(instant),
  pausedAt: nullable(instant),
  resumesAt: nullable(instant),
  cancelledAt: nullable(instant),
  cancelReason: nullable(text),
  /** Until when a cancellation can be taken back. */
  graceEndsAt: nullable(instant),
  /** The date that the platform's contract had when we last looked or set it; null until the first look. */
  platformNextBillingAt: nullable(instant),
  paymentMethod: nullable(json<PaymentMethod>()),
  /** Who holds it where it was given away. */
  receiverMemberId: nullable(int),
  giftedAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})
export type Subscription = RowOf<typeof Subscription>

/** Whose membership it is: its status and plan make this member's standing. */
export const holderOf = ({ memberId, receiverMemberId }: Pick<Subscription, 'memberId' | 'receiverMemberId'>): number =>
  receiverMemberId ?? memberId
