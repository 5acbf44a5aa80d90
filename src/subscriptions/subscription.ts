import { bool, instant, int, intList, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

export type PaymentMethod = { type: string; lastFour: string | null; brand: string | null }

/** A subscription with what its events say of its customer. */
export const Subscription = row({
  id: int,
  /** Who pays: the contract's customer, also of a gift. */
  memberId: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  planId: nullable(int),
  /** The plan's version; null without a plan. */
  planVersion: nullable(int),
  platformContractId: text,
  platformRevision: text,
  name: text,
  status: oneOf('active', 'paused', 'cancelled', 'failed', 'expired'),
  /** Of a cycle: all lines, with discounts and delivery. What the customer's membership and grants take off is not taken off. */
  priceMinor: int,
  /** What the membership takes off a cycle of a product subscription on the platform, as the contract was last read. */
  memberDiscountMinor: int,
  /** What discounts of grants (`contracts`) take off the next cycle, as the contract was last read. */
  grantedDiscountMinor: int,
  /** What of the price is delivery, as the contract was last read. */
  deliveryMinor: int,
  /**
   * What a cycle was charged by line after all discounts, and for how many pieces, as the contract was last read; lines that cost nothing are left out. A change
   * of terms of ours is in them when the contract is read again.
   */
  lineChargesMinor: intList,
  lineQuantities: intList,
  /** Of one of what the plan sells, before discounts; null where it is not one price, or the contract was not read since the upgrade. */
  unitPriceMinor: nullable(int),
  currency: text,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  /** How many changes of the shop's time zone its anchor and dates have followed. */
  timezoneRebases: int,
  anchorAt: instant,
  anchorCycle: int,
  cycleIndex: int,
  nextCycle: int,
  nextBillingAt: nullable(instant),
  billingDueAt: nullable(instant),
  declines: int,
  /** Failures of the current cycle because items are out of stock. */
  inventoryFailures: int,
  /** Until when a charge waits for a new payment method. */
  paymentMethodDeadline: nullable(instant),
  /** How many cycles were paid; a fixed number of cycles counts these. */
  cyclesPaid: int,
  maxCycles: nullable(int),
  /**
   * The cycle that was unpaid when the subscription was paused or cancelled. Of an active one: past due since it continued,
   * until billing claims it.
   */
  pastDueCycle: nullable(int),
  /** Paused because retries were exhausted, not by a person. */
  pausedByDunning: bool,
  trialEndsAt: nullable(instant),
  pausedAt: nullable(instant),
  resumesAt: nullable(instant),
  cancelledAt: nullable(instant),
  cancelReason: nullable(text),
  /** Until when a cancellation can be taken back. */
  graceEndsAt: nullable(instant),
  /** The date of the platform's contract when we last read or set it; null before the first read. */
  platformNextBillingAt: nullable(instant),
  paymentMethod: nullable(json<PaymentMethod>()),
  /** The platform's id of the payment method; null where it was not read yet. */
  platformPaymentMethodId: nullable(text),
  /** Who holds a membership that was given away. */
  receiverMemberId: nullable(int),
  giftedAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})
export type Subscription = RowOf<typeof Subscription>

/** A fixed number of cycles is paid: there is no next one, and the subscription ends when the last one is over. */
export const hasPaidAll = ({ cyclesPaid, maxCycles }: Pick<Subscription, 'cyclesPaid' | 'maxCycles'>): boolean =>
  maxCycles !== null && cyclesPaid >= maxCycles

/** The dates of a subscription whose next cycle is at `at`. If no cycle is left, no date is shown, and it expires then. */
export function datesAt(
  s: Pick<Subscription, 'cyclesPaid' | 'maxCycles'>,
  at: Temporal.Instant
): Pick<Subscription, 'nextBillingAt' | 'billingDueAt'> {
  return { nextBillingAt: hasPaidAll(s) ? null : at, billingDueAt: at }
}

/** What a cycle is charged: the price less what the customer's membership takes off. */
export const chargeMinorOf = (
  s: Pick<Subscription, 'priceMinor' | 'memberDiscountMinor' | 'grantedDiscountMinor'>
): number => Math.max(0, s.priceMinor - s.memberDiscountMinor - s.grantedDiscountMinor)

/** Who holds the membership: its status and plan are this member's. */
export const holderOf = ({ memberId, receiverMemberId }: Pick<Subscription, 'memberId' | 'receiverMemberId'>): number =>
  receiverMemberId ?? memberId
