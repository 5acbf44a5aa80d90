import { bool, instant, int, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

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
  /** How many moves of the shop to another time zone its anchor and dates have followed. */
  timezoneRebases: int,
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
  paymentMethodDeadline: nullable(instant),
  /** How many cycles were paid, which is what a fixed number of them counts. */
  cyclesPaid: int,
  maxCycles: nullable(int),
  /**
   * The cycle that was due, being charged or declined when it was paused or cancelled. Of an active one it is owed since it
   * came back, until billing takes it up.
   */
  pastDueCycle: nullable(int),
  /** Since dunning gave up, and not by anybody's wish. */
  pausedByDunning: bool,
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
  /** Which of the customer's it is; null where that was not seen yet. */
  platformPaymentMethodId: nullable(text),
  /** Who holds it where it was given away. */
  receiverMemberId: nullable(int),
  giftedAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})
export type Subscription = RowOf<typeof Subscription>

/** All of a fixed number of cycles are paid: it has no next one, and ends when the last is over. */
export const hasPaidAll = ({ cyclesPaid, maxCycles }: Pick<Subscription, 'cyclesPaid' | 'maxCycles'>): boolean =>
  maxCycles !== null && cyclesPaid >= maxCycles

/** The dates of one whose next cycle falls on `at`. Where none is left there is nothing to show, and it ends then. */
export function datesAt(
  s: Pick<Subscription, 'cyclesPaid' | 'maxCycles'>,
  at: Temporal.Instant
): Pick<Subscription, 'nextBillingAt' | 'billingDueAt'> {
  return { nextBillingAt: hasPaidAll(s) ? null : at, billingDueAt: at }
}

/** Whose membership it is: its status and plan make this member's standing. */
export const holderOf = ({ memberId, receiverMemberId }: Pick<Subscription, 'memberId' | 'receiverMemberId'>): number =>
  receiverMemberId ?? memberId
