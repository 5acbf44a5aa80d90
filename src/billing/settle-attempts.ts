import { type Fact, record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type RecordedOrder, recordOrders } from '#orders'
import type { PlatformOrder, PlatformPaymentMethod } from '#platform'
import { notify, type StoreContext, settingsOf, storeContext } from '#stores'
import {
  type CycleResult,
  enqueueContractSync,
  issueCycleCredits,
  lockSubscriptions,
  type NewActivity,
  recordActivities,
  type Subscription,
  settleCycles
} from '#subscriptions'
import { recoveryMessage, settlementMessages } from './activities.ts'
import { alertsOfCharges, alertsOfDeclines } from './alerts.ts'
import { applyLateSuccesses, type LateSuccess, lateSuccessOfRow } from './apply-late-success.ts'
import { type Attempt, listSubscriptionsOfKeys, lockAttemptsByKey, lockLateSuccesses } from './attempt.ts'
import { creditOfCycle } from './credit-of-cycle.ts'
import { type Decline, declineOf, refusalOf } from './decline-codes.ts'
import {
  attemptsRemainingAfter,
  contractRetryStep,
  cycleAlreadyPaid,
  cycleSkippedOnPlatform,
  type DunningStep,
  nextDunningStep,
  paymentMethodDeadlineFrom
} from './dunning.ts'
import { billingFailed, billingRetryScheduled, billingSuccess } from './events.ts'
import { type DunningSettings, dunningSettings } from './settings.ts'
import { chargedOf, checkNow, failedSettlement, markSettled, type Settlement } from './settlement.ts'

/** How an attempt ended, as the platform told it. */
export type AttemptResult = { idempotencyKey: string; platformAttemptId: string | null } & (
  | { state: 'success'; order: PlatformOrder | null; paymentMethod: PlatformPaymentMethod | null }
  | {
      state: 'failed'
      errorCode: string | null
      errorMessage: string | null
      /** The platform refused the call itself, with this code: the attempt never came to be there. */
      isRefusal?: boolean
      /** Of a cycle that is `already_paid`: the payment was looked for, and none was found. */
      isPaymentSearched?: boolean
    }
)

/**
 * Ends attempts: order, next date, dunning step and events in one transaction. Told twice, or of a key that is not ours, a
 * result changes nothing. A success also holds against an earlier failure of the same attempt; a cycle that the platform
 * says is paid already is settled by a look at the platform, which follows.
 */
export async function settleAttempts(ctx: Ctx, results: AttemptResult[]): Promise<number> {
  // Of two results of one attempt in a batch, a success is the truth.
  const byKey = new Map<string, AttemptResult>()
  for (const result of results) {
    if (byKey.get(result.idempotencyKey)?.state !== 'success') byKey.set(result.idempotencyKey, result)
  }
  const keys = [...byKey.keys()]
  const paidKeys = keys.filter((key) => byKey.get(key)!.state === 'success')
  // Subscriptions before attempts, as everyone locks them.
  const concerned = await listSubscriptionsOfKeys(ctx, keys, paidKeys)
  const before = new Map((await lockSubscriptions(ctx, concerned)).map((s) => [s.id, s]))
  const locked = (await lockAttemptsByKey(ctx, keys, paidKeys)).filter((a) => before.has(a.subscriptionId))
  if (locked.length === 0) return 0

  const reportedOf = (attempt: Attempt) => byKey.get(attempt.idempotencyKey)!
  const needsPaymentSearch = (attempt: Attempt) => {
    const reported = reportedOf(attempt)
    return (
      reported.state === 'failed' &&
      !reported.isPaymentSearched &&
      declineOf(reported.errorCode).code === 'already_paid'
    )
  }
  const orders = await recordOrders(
    ctx,
    locked.flatMap((attempt) => {
      const reported = reportedOf(attempt)
      return reported.state === 'success' ? (reported.order ?? []) : []
    })
  )
  const pending = locked.filter((attempt) => attempt.status === 'pending')
  await checkNow(ctx, pending.filter(needsPaymentSearch))
  const ending = pending.filter((attempt) => !needsPaymentSearch(attempt))
  const waiting = await lockLateSuccessesOfCycles(ctx, ending)
  await settlePending(ctx, ending, reportedOf, before, orders, new Set(waiting.map(cycleOf)))

  const late = locked.flatMap((attempt): LateSuccess[] => {
    const reported = reportedOf(attempt)
    if (attempt.status !== 'failed' || reported.state !== 'success') return []
    return [{ attempt, reported, order: orderOf(reported.order, orders) }]
  })
  await applyLateSuccesses(ctx, [...late, ...waiting.map(lateSuccessOfRow)])
  return ending.length + late.length
}

const cycleOf = ({ subscriptionId, cycleIndex }: Attempt) => `${subscriptionId}:${cycleIndex}`

/** Successes of the same cycles that were told late, and had to wait for the end of these. */
async function lockLateSuccessesOfCycles(ctx: Ctx, ending: Attempt[]): Promise<Attempt[]> {
  const repeated = ending.filter((attempt) => attempt.attemptNumber > 1)
  return repeated.length === 0 ? [] : lockLateSuccesses(ctx, repeated)
}

export type ChargedOrder = { ours: RecordedOrder; reported: Pick<PlatformOrder, 'totalMinor' | 'currency'> }

function orderOf(reported: PlatformOrder | null, orders: Map<string, RecordedOrder>): ChargedOrder | null {
  const ours = reported && orders.get(reported.id)
  return ours ? { ours, reported } : null
}

async function settlePending(
  ctx: Ctx,
  attempts: Attempt[],
  reportedOf: (attempt: Attempt) => AttemptResult,
  before: Map<number, Subscription>,
  orders: Map<string, RecordedOrder>,
  paidOtherwise: Set<string>
): Promise<void> {
  if (attempts.length === 0) return
  const store = await storeContext(ctx)
  const dunning = await settingsOf(ctx, dunningSettings)
  const ended = attempts.map((attempt): Ended => {
    const reported = reportedOf(attempt)
    const subscription = before.get(attempt.subscriptionId)!
    if (reported.state === 'success') return paid(attempt, reported, orderOf(reported.order, orders), subscription)
    const decline = reported.isRefusal ? refusalOf(reported.errorCode ?? undefined) : declineOf(reported.errorCode)
    const isOpen = !paidOtherwise.has(cycleOf(attempt))
    return declined(attempt, reported, decline, subscription, isOpen, ctx.now, { ...store, dunning })
  })
  const { after, pendingEvents, activities } = await settleCycles(
    ctx,
    ended.flatMap((e) => e.cycle ?? []),
    [...before.values()]
  )
  const written = await markSettled(
    ctx,
    ended.map((e) => e.settled)
  )
  const events: Fact[] = []
  const history: NewActivity[] = []
  for (const { attempt, settled, order } of ended) {
    const subscription = after.get(attempt.subscriptionId) ?? before.get(attempt.subscriptionId)!
    const of = { attempt: { ...attempt, amountMinor: settled.chargedMinor ?? attempt.amountMinor }, subscription }
    if (settled.status === 'success') events.push(billingSuccess(of, order, settled, store.profile))
    else {
      events.push(billingFailed(of, settled))
      if (settled.retryAt) events.push(billingRetryScheduled(of, settled))
    }
    history.push(...settlementMessages(of, settled, order, store.timezone))
    if (written.get(attempt.id)?.recovered) history.push(recoveryMessage(of.attempt))
  }
  await record(ctx, ...events, ...pendingEvents)
  await recordActivities(ctx, [...history, ...activities])
  await issueCycleCredits(
    ctx,
    ended.flatMap(({ attempt, settled }) =>
      creditOfCycle(attempt, before.get(attempt.subscriptionId)!, settled, written.get(attempt.id))
    )
  )
  await enqueueContractSync(
    ctx,
    ended.flatMap((e) =>
      mayChangePrice(e, reportedOf(e.attempt)) ? before.get(e.attempt.subscriptionId)!.platformContractId : []
    )
  )
  for (const alert of [...alertsOfDeclines(ended), ...alertsOfCharges(ended)]) await notify(ctx, alert)
}

/** The contract's price is another than we know, or a discount was used that may have been its last. */
function mayChangePrice({ attempt, settled }: Ended, reported: AttemptResult): boolean {
  if (reported.state !== 'success' || !reported.order) return false
  const isOther = settled.chargedMinor !== null && settled.chargedMinor !== attempt.amountMinor
  return isOther || reported.order.discountMinor > 0
}

export type Ended = { attempt: Attempt; settled: Settlement; order: ChargedOrder | null; cycle: CycleResult | null }

function paid(
  attempt: Attempt,
  { paymentMethod, platformAttemptId }: Extract<AttemptResult, { state: 'success' }>,
  order: ChargedOrder | null,
  subscription: Subscription
): Ended {
  return {
    attempt,
    order,
    settled: {
      ...failedSettlement(attempt.id),
      status: 'success',
      platformAttemptId,
      orderId: order?.ours.id ?? null,
      paymentMethod,
      ...chargedOf(attempt, order?.reported ?? null, subscription)
    },
    cycle: { subscriptionId: attempt.subscriptionId, cycle: attempt.cycleIndex, outcome: 'paid', paymentMethod }
  }
}

type StoreRules = Pick<StoreContext, 'timezone'> & { dunning: DunningSettings }

/** `isOpen`: nothing else has paid the cycle meanwhile. */
function declined(
  attempt: Attempt,
  reported: Extract<AttemptResult, { state: 'failed' }>,
  decline: Decline,
  subscription: Subscription,
  isOpen: boolean,
  now: Temporal.Instant,
  store: StoreRules
): Ended {
  const { next, attemptsRemaining } = stepAfter(attempt, decline, subscription, store, now)
  // One that was stopped meanwhile is not retried, nor a cycle that has been passed over.
  const goesOn = isOpen && subscription.status === 'active' && attempt.cycleIndex === subscription.nextCycle
  const retryAt = goesOn && next.outcome === 'declined' ? next.retryAt : null
  const ref = { subscriptionId: attempt.subscriptionId, cycle: attempt.cycleIndex }
  const counts = attempt.manual ? null : next.counts
  return {
    attempt,
    order: null,
    settled: {
      ...failedSettlement(attempt.id),
      platformAttemptId: reported.platformAttemptId,
      errorCode: decline.code,
      errorMessage: reported.errorMessage ?? 'The charge failed',
      declineCode: decline.declineCode,
      retryAt,
      attemptsRemaining: goesOn ? attemptsRemaining : 0
    },
    cycle: !isOpen
      ? null
      : goesOn
        ? { ...ref, ...next }
        : { ...ref, outcome: 'declined', retryAt: null, paymentMethodDeadline: null, counts }
  }
}

/**
 * What follows a decline. After one that somebody asked for, the ladder stands where it stood, and goes on with the retry
 * that waited; unless the card turns out to be dead. A payment method that came meanwhile is tried at once, whatever the ladder
 * says, unless it is goods that are not there.
 */
function stepAfter(
  attempt: Attempt,
  decline: Decline,
  subscription: Subscription,
  { dunning, timezone }: StoreRules,
  now: Temporal.Instant
): DunningStep {
  if (decline.declineCode === 'billing_cycle_skipped') return cycleSkippedOnPlatform
  if (decline.code === 'already_paid') return cycleAlreadyPaid
  const step =
    decline.code === 'contract_not_billable'
      ? contractRetryStep(attempt.attemptNumber, now)
      : nextDunningStep(subscription, decline, dunning, now, timezone)
  const { declines } = subscription
  // With nothing behind it that waits, an attempt that somebody asked for is as good as any.
  const isBeside = attempt.manual && (attempt.ladderRetryAt !== null || declines > 0)
  const manual = (): DunningStep => {
    const isDead = decline.kind === 'hard' && declines > 0
    const retryAt = isDead || attempt.ladderRetryAt === null ? null : latest(attempt.ladderRetryAt, now)
    // What waited for a new payment method waits again, and not for ever.
    const paymentMethodDeadline = retryAt === null ? paymentMethodDeadlineFrom(dunning, now, timezone) : null
    return {
      next: { outcome: 'declined', retryAt, paymentMethodDeadline, counts: null },
      attemptsRemaining: attemptsRemainingAfter(declines, dunning)
    }
  }
  const taken = isBeside ? manual() : step
  if (!attempt.newPaymentMethod || decline.kind === 'inventory') return taken
  return {
    next: { outcome: 'declined', retryAt: now, paymentMethodDeadline: null, counts: taken.next.counts },
    attemptsRemaining: Math.max(taken.attemptsRemaining, 1)
  }
}

const latest = (a: Temporal.Instant, b: Temporal.Instant) => (Temporal.Instant.compare(a, b) > 0 ? a : b)
