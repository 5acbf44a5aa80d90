import type { Fact } from '#kit/outbox'
import type { Plan } from '#plans'
import type { PlatformContract } from '#platform'
import type { StoreContext } from '#stores'
import {
  type ActivityMessage,
  activityMessages,
  billingDate,
  changesOf,
  datesAt,
  hasPaidAll,
  paymentMethodMessage,
  type Subscription,
  subscriptionUpdated,
  termsMessages,
  withInterval
} from '#subscriptions'
import {
  isInBilling,
  isOver,
  planCancel,
  planEnd,
  planPause,
  planResume,
  rescheduledTo,
  subscriptionCancelledAfterFailure,
  type Terms,
  type TransitionPlan
} from '#subscriptions/transitions'
import { chargedLinesOf, isSameDate, ourStatus, termsOf } from './read-contract-terms.ts'

/** A known subscription and what the platform now says of its contract. */
export type Pair = { subscription: Subscription; contract: PlatformContract }

/** What a contract changes on its subscription. */
export type ContractUpdate = {
  /** The subscription with what is recorded of the contract without notice to anybody. */
  seen: Subscription
  /** The change that receivers are notified of, if there is one. */
  planned: TransitionPlan | null
  /** The platform has to follow the subscription instead. */
  isPushed: boolean
  /** Somebody's change or our own that is under way: to be read again when ours is done. */
  isUnsure: boolean
  /** Entries of the history beside those of the plan. */
  noticed: ActivityMessage[]
}

/**
 * Decides the change that makes a subscription agree with its contract; writes nothing. While a push of ours waits or is under
 * way (`isWaiting`), status and next date are ours, except for an end: what has ended on the platform has ended.
 */
export function decideContractChanges(
  { subscription: before, contract }: Pair,
  isWaiting: boolean,
  plans: Plan[],
  now: Temporal.Instant,
  store: StoreContext
): ContractUpdate {
  const status = ourStatus(contract.status)
  const seen = {
    ...before,
    platformRevision: contract.revision,
    platformNextBillingAt: isWaiting ? before.platformNextBillingAt : contract.nextBillingDate,
    maxCycles: contract.maxCycles,
    memberDiscountMinor: contract.memberDiscountMinor,
    grantedDiscountMinor: contract.grantedDiscountMinor,
    deliveryMinor: contract.deliveryPriceMinor,
    ...chargedLinesOf(contract),
    ...(contract.paymentMethod === undefined
      ? {}
      : { paymentMethod: contract.paymentMethod, platformPaymentMethodId: contract.paymentMethodId ?? null }),
    // What has ended there cannot be taken back.
    graceEndsAt: isOver(status) ? null : before.graceEndsAt
  }
  if (isOver(before.status)) {
    const isPushed = contract.status === 'active'
    // Our own end may only not have arrived there yet.
    const isRevived = isPushed && !isWaiting
    const noticed = isRevived
      ? [activityMessages.reconciled(`The platform's contract was active; it is stopped there again`)]
      : []
    return { seen, planned: planAfterEnd(before, status, now), isPushed, isUnsure: false, noticed }
  }
  const noticed = [paymentMethodMessage(before.paymentMethod, seen.paymentMethod)].filter((message) => message !== null)
  const hasMoved = status !== before.status
  const newDate = dateMovedTo(before, contract)
  if (isWaiting && !isOver(status)) {
    const renewed = withTerms(seen, contract, plans, store)
    const planned = planTerms(before, { ...renewed, ...datesOf(renewed, null, store) }, store)
    return { seen, planned, isPushed: false, isUnsure: hasMoved || newDate !== null, noticed }
  }
  // A date in the past would be a charge at once, and while a cycle is in billing nobody else changes its date.
  const isTaken = newDate !== null && Temporal.Instant.compare(newDate, now) > 0 && !isInBilling(before)
  const renewed = withTerms(seen, contract, plans, store)
  const after = isTaken ? rescheduledTo(newDate, renewed) : renewed
  if (!hasMoved) {
    const isPushed = newDate !== null && !isTaken && before.nextBillingAt !== null && !isInBilling(before)
    return {
      seen: { ...seen, anchorAt: after.anchorAt, anchorCycle: after.anchorCycle, pastDueCycle: after.pastDueCycle },
      planned: planTerms(before, { ...after, ...datesOf(after, isTaken ? newDate : null, store) }, store),
      isPushed,
      isUnsure: false,
      noticed: isPushed
        ? [
            ...noticed,
            activityMessages.reconciled(
              'The platform had a next date in the past; the date of Perennial is set there again'
            )
          ]
        : noticed
    }
  }
  const move = planStatus(status, after, isTaken ? newDate : null, { now, store })
  // Nobody needs new terms of what is over.
  const terms = isOver(status) ? null : planTerms(before, renewed, store)
  return {
    seen,
    planned: {
      ...move,
      before,
      events: [...(terms?.events ?? []), ...move.events],
      activities: [...(terms?.activities ?? []), ...move.activities]
    },
    // The platform does not move its date past those in the pause.
    isPushed: status === 'active' && !isSameDate(move.after.nextBillingAt, contract.nextBillingDate),
    isUnsure: false,
    noticed
  }
}

function planStatus(
  status: Subscription['status'],
  s: Subscription,
  date: Temporal.Instant | null,
  context: { now: Temporal.Instant; store: StoreContext }
): TransitionPlan {
  return {
    paused: () => planPause(s, null, context),
    active: () => planResume(s, date, context),
    cancelled: () => planCancel(s, 'platform', null, context),
    failed: () => planEnd(s, 'failed', 'platform', context),
    expired: () => planEnd(s, 'expired', 'expired', context)
  }[status]()
}

/** A subscription that dunning has ended as failed may be cancelled there later. Its end was reported when it failed. */
function planAfterEnd(
  before: Subscription,
  status: Subscription['status'],
  now: Temporal.Instant
): TransitionPlan | null {
  if (before.status !== 'failed' || status !== 'cancelled') return null
  const activities = [activityMessages.reconciled('The platform cancelled the failed contract')]
  const after = { ...before, status, updatedAt: now }
  return { before, after, events: [subscriptionCancelledAfterFailure(after)], activities }
}

/** Dates that differ because the next one was moved there, or because the fixed number of cycles is another one now. */
function datesOf(s: Subscription, moved: Temporal.Instant | null, store: StoreContext): Partial<Subscription> {
  if (s.status !== 'active' || isInBilling(s)) return {}
  if (moved) return datesAt(s, moved)
  if (hasPaidAll(s)) return { nextBillingAt: null }
  return s.nextBillingAt === null ? datesAt(s, billingDate(s, s.nextCycle, store.timezone)) : {}
}

/** With the contract's plan, price and interval; another interval holds from the next cycle on. */
function withTerms(s: Subscription, contract: PlatformContract, plans: Plan[], store: StoreContext): Subscription {
  const terms = termsOf(s, contract, plans)
  const isSameCadence = terms.interval === s.interval && terms.intervalCount === s.intervalCount
  return { ...s, ...terms, ...(isSameCadence ? {} : withInterval(s, s.nextCycle, terms, store.timezone)) }
}

/** Null when nothing is different that is shown; the anchor during a pause is not. */
function planTerms(before: Subscription, after: Subscription, store: StoreContext): TransitionPlan | null {
  const changes = changesOf(before, after)
  const events: Fact[] = Object.keys(changes).length > 0 ? [subscriptionUpdated(after, changes, store.profile)] : []
  if (events.length === 0 && !hasOtherTerms(before, after)) return null
  return { before, after, events, activities: termsMessages(before, after, store.timezone) }
}

export function hasOtherTerms(a: Terms, b: Terms): boolean {
  const hasOther = (
    ['planId', 'planVersion', 'name', 'priceMinor', 'unitPriceMinor', 'interval', 'intervalCount'] as const
  ).some((f) => a[f] !== b[f])
  return hasOther || a.trialEndsAt?.epochMilliseconds !== b.trialEndsAt?.epochMilliseconds
}

/** The platform's date, if somebody else has moved it there since we last read or set it. */
function dateMovedTo(
  { platformNextBillingAt, nextBillingAt }: Subscription,
  { nextBillingDate }: PlatformContract
): Temporal.Instant | null {
  if (nextBillingDate === null || platformNextBillingAt === null) return null
  const isKnown = isSameDate(nextBillingDate, platformNextBillingAt) || isSameDate(nextBillingDate, nextBillingAt)
  return isKnown ? null : nextBillingDate
}
