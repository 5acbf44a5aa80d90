import { waitingKeys } from '#kit/jobs'
import type { Fact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import type { Plan } from '#plans'
import { compareRevisions, type PlatformContract } from '#platform'
import type { StoreContext } from '#stores'
import {
  type ActivityMessage,
  activityMessages,
  actorOf,
  askersOf,
  billingDate,
  changesOf,
  datesAt,
  endChangesOf,
  hasPaidAll,
  markSeen,
  markTerms,
  paymentMethodMessage,
  recordActivities,
  type Subscription,
  subscriptionUpdated,
  type Terms,
  termsMessages,
  withInterval
} from '#subscriptions'
import {
  applyTransitions,
  isFinal,
  isInBilling,
  isOver,
  planCancel,
  planEnd,
  planPause,
  planResume,
  pushContractJob,
  pushContracts,
  rescheduledTo,
  type TransitionPlan
} from '#subscriptions/transitions'
import { isSameDate, ourStatus, termsOf } from './platform-terms.ts'

/**
 * What came of following. `stopped`: subscriptions that are no longer active, for billing to let go of. `unsure`: contracts
 * whose status or date may be somebody's change or our own that is just under way; to be looked at again when it is done.
 * `changed`: contracts that led to something new here. `newMethods`: subscriptions whose payment
 * method looks another way now; `otherMethods`: those that are charged to another one of their customer's.
 */
export type AppliedChanges = {
  stopped: number[]
  unsure: string[]
  changed: string[]
  newMethods: number[]
  otherMethods: number[]
}

type Pair = { subscription: Subscription; contract: PlatformContract }

/** Makes known subscriptions agree with their contracts, and tells what changes by it. */
export async function applyContractChanges(
  ctx: Ctx,
  pairs: Pair[],
  plans: Plan[],
  store: StoreContext
): Promise<AppliedChanges> {
  if (pairs.length === 0) return { stopped: [], unsure: [], changed: [], newMethods: [], otherMethods: [] }
  const waiting = await waitingKeys(
    ctx,
    pushContractJob,
    pairs.map(({ subscription }) => String(subscription.id))
  )
  const looks = pairs
    .filter(({ subscription, contract }) => compareRevisions(contract.revision, subscription.platformRevision) >= 0)
    .map((pair) => converge(pair, waiting.has(String(pair.subscription.id)), plans, ctx.now, store))
  await markSeen(
    ctx,
    looks.map(({ seen }) => seen)
  )
  const planned = looks.flatMap((look) => look.planned ?? [])
  await markTerms(
    ctx,
    planned.map(({ after }) => after).filter((after, i) => hasOtherTerms(planned[i]!.before, after))
  )
  const askers = await askersOf(
    ctx,
    looks.filter(({ planned, noticed }) => planned?.activities.length || noticed.length).map(({ seen }) => seen.id)
  )
  const byAsker = (id: number) => (line: ActivityMessage) => {
    const by = isRequested(line) ? askers.get(id) : undefined
    return by ? { ...line, by } : line
  }
  await applyTransitions(
    ctx,
    planned.map((one) => ({ ...one, activities: one.activities.map(byAsker(one.before.id)) })),
    'platform'
  )
  await recordActivities(
    ctx,
    looks.flatMap(({ seen, noticed }) =>
      noticed.map(byAsker(seen.id)).map(({ by = 'platform', ...line }) => ({
        ...line,
        ...actorOf(by),
        subscriptionId: seen.id
      }))
    )
  )
  // Also of a cancellation that could be taken back until it ended there.
  await endChangesOf(
    ctx,
    looks.filter(({ seen }) => isFinal(seen)).map(({ seen }) => seen.id)
  )
  await pushContracts(
    ctx,
    looks.filter(({ isPushed }) => isPushed).map(({ seen }) => seen.id)
  )
  const methods = new Map(pairs.map(({ subscription: s }) => [s.id, s.platformPaymentMethodId]))
  return {
    stopped: planned.flatMap(({ before, after }) =>
      before.status === 'active' && after.status !== 'active' ? before.id : []
    ),
    unsure: looks.filter(({ isUnsure }) => isUnsure).map(({ seen }) => seen.platformContractId),
    changed: looks
      .filter(({ planned, noticed }) => planned || noticed.length > 0)
      .map(({ seen }) => seen.platformContractId),
    newMethods: looks
      .filter(
        ({ seen, noticed }) => seen.paymentMethod && noticed.some(({ kind }) => kind === 'payment_method_changed')
      )
      .map(({ seen }) => seen.id),
    otherMethods: looks.flatMap(({ seen }) =>
      isOther(methods.get(seen.id), seen.platformPaymentMethodId) ? seen.id : []
    )
  }
}

/** Of two that are both known. */
const isOther = (before: string | null | undefined, after: string | null) => before && after && before !== after

/** What can have been asked for here: then that is who did it. */
const isRequested = ({ kind }: ActivityMessage) =>
  kind === 'plan_changed' ||
  kind === 'price_changed' ||
  kind === 'frequency_changed' ||
  kind === 'payment_method_changed'

/** `isPushed`: the platform is to follow us instead. `noticed`: what nobody is told of, and stands in the history only. */
type ContractUpdate = {
  seen: Subscription
  planned: TransitionPlan | null
  isPushed: boolean
  isUnsure: boolean
  noticed: ActivityMessage[]
}

/**
 * The change that makes a subscription agree with its contract, if there is one. While a push of ours waits or is under
 * way, status and date are ours, except for an end: what has ended on the platform has ended.
 */
function converge(
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
    paymentMethod: contract.paymentMethod,
    platformPaymentMethodId: contract.paymentMethodId,
    // What has ended there cannot be taken back.
    graceEndsAt: isOver(status) ? null : before.graceEndsAt
  }
  if (isOver(before.status)) {
    const isPushed = contract.status === 'active'
    // Our own end may only not have come there yet.
    const isRevived = isPushed && !isWaiting
    const noticed = isRevived
      ? [activityMessages.reconciled(`The platform's contract was active; it is stopped there again`)]
      : []
    return { seen, planned: planOver(before, status, now), isPushed, isUnsure: false, noticed }
  }
  const noticed = [paymentMethodMessage(before.paymentMethod, contract.paymentMethod)].filter((line) => line !== null)
  const hasMoved = status !== before.status
  const newDate = dateMovedTo(before, contract)
  if (isWaiting && !isOver(status)) {
    const renewed = withTerms(seen, contract, plans, store)
    const planned = planTerms(before, { ...renewed, ...datesOf(renewed, null, store) }, store)
    return { seen, planned, isPushed: false, isUnsure: hasMoved || newDate !== null, noticed }
  }
  // A date that is over would be a charge at once, and while one is under way or declined the schedule is billing's.
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
        ? [...noticed, activityMessages.reconciled('The platform had a next date that is over; ours is put back')]
        : noticed
    }
  }
  const times = { now, store }
  const move = {
    paused: () => planPause(after, null, times),
    active: () => planResume(after, isTaken ? newDate : null, times),
    cancelled: () => planCancel(after, 'platform', null, times),
    failed: () => planEnd(after, 'failed', 'platform', times),
    expired: () => planEnd(after, 'expired', 'expired', times)
  }[status]()
  // Of terms nobody needs to hear once it is over.
  const reported = isOver(status) ? null : planTerms(before, renewed, store)
  return {
    seen,
    planned: {
      ...move,
      before,
      events: [...(reported?.events ?? []), ...move.events],
      activities: [...(reported?.activities ?? []), ...move.activities]
    },
    // The platform does not move its date past those that fell into the pause.
    isPushed: status === 'active' && !isSameDate(move.after.nextBillingAt, contract.nextBillingDate),
    isUnsure: false,
    noticed
  }
}

/** One that dunning had ended as failed may be cancelled there afterwards. It ended when it failed, and was told then. */
function planOver(before: Subscription, status: Subscription['status'], now: Temporal.Instant): TransitionPlan | null {
  if (before.status !== 'failed' || status !== 'cancelled') return null
  const after = { ...before, status, updatedAt: now }
  return {
    before,
    after,
    events: [],
    activities: [activityMessages.reconciled('The platform cancelled the failed contract')]
  }
}

/** The dates that differ because the next one was moved there, or because a fixed number of cycles is another one now. */
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
  const activities = termsMessages(before, after, store.timezone)
  return events.length === 0 && !hasOtherTerms(before, after) ? null : { before, after, events, activities }
}

function hasOtherTerms(a: Terms, b: Terms): boolean {
  const hasOther = (['planId', 'planVersion', 'name', 'priceMinor', 'interval', 'intervalCount'] as const).some(
    (f) => a[f] !== b[f]
  )
  return hasOther || a.trialEndsAt?.epochMilliseconds !== b.trialEndsAt?.epochMilliseconds
}

/** The platform's date, if somebody else has moved it there since we last looked or set it. */
function dateMovedTo(
  { platformNextBillingAt, nextBillingAt }: Subscription,
  { nextBillingDate }: PlatformContract
): Temporal.Instant | null {
  if (nextBillingDate === null || platformNextBillingAt === null) return null
  const isKnown = isSameDate(nextBillingDate, platformNextBillingAt) || isSameDate(nextBillingDate, nextBillingAt)
  return isKnown ? null : nextBillingDate
}
