import { type DomainEvent, record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { recordOrders } from '#orders'
import type { PlatformOrder, PlatformPaymentMethod } from '#platform'
import { storeFacts } from '#stores'
import { type CycleResult, lockSubscriptions, recordActivities, type Subscription, settleCycles } from '#subscriptions'
import { type Attempt, listSubscriptionsOfKeys, lockAttemptsByKey, markSettled, type Settled } from './attempt.ts'
import { type Decline, declineOf } from './decline-codes.ts'
import { attemptsRemainingAfter, type DunningSettings, type DunningStep, nextDunningStep } from './dunning.ts'
import { billingFailed, billingRetryScheduled, billingSuccess } from './events.ts'

/** How an attempt ended, as the platform told it. */
export type AttemptResult = { idempotencyKey: string; platformAttemptId: string | null } & (
  | { state: 'success'; order: PlatformOrder | null; paymentMethod: PlatformPaymentMethod | null }
  | { state: 'failed'; errorCode: string | null; errorMessage: string | null }
)

/**
 * Ends pending attempts: order, next date, dunning step and events in one transaction. Told twice, or of a key that is
 * not ours, a result changes nothing.
 */
export async function settleAttempts(ctx: Ctx, results: AttemptResult[]): Promise<number> {
  const byKey = new Map(results.map((result) => [result.idempotencyKey, result]))
  const keys = [...byKey.keys()]
  // Subscriptions before attempts, as everyone locks them.
  const before = new Map((await lockSubscriptions(ctx, await listSubscriptionsOfKeys(ctx, keys))).map((s) => [s.id, s]))
  const attempts = (await lockAttemptsByKey(ctx, keys)).filter((a) => before.has(a.subscriptionId))
  if (attempts.length === 0) return 0

  const store = await storeFacts(ctx)
  const told = attempts.map((attempt) => byKey.get(attempt.idempotencyKey)!)
  const orders = await recordOrders(
    ctx,
    told.flatMap((result) => (result.state === 'success' ? (result.order ?? []) : []))
  )
  const ended = attempts.map((attempt, i) => {
    const result = told[i]!
    const subscription = before.get(attempt.subscriptionId)!
    if (result.state === 'success') {
      const ours = result.order ? (orders.get(result.order.id) ?? null) : null
      return paid(attempt, result, ours?.id ?? null)
    }
    return declined(attempt, result, subscription, ctx.now, store)
  })
  const {
    after,
    told: endings,
    activities
  } = await settleCycles(
    ctx,
    ended.map((e) => e.cycle)
  )
  await markSettled(
    ctx,
    ended.map((e) => e.settled)
  )
  const events = attempts.flatMap((attempt, i): DomainEvent[] => {
    const result = told[i]!
    const { settled } = ended[i]!
    const of = { attempt, subscription: after.get(attempt.subscriptionId)! }
    if (result.state === 'success') {
      const ours = result.order && orders.get(result.order.id)
      return [billingSuccess(of, ours ? { ours, told: result.order! } : null, settled, store.profile)]
    }
    return settled.retryAt
      ? [billingFailed(of, settled), billingRetryScheduled(of, settled)]
      : [billingFailed(of, settled)]
  })
  await record(ctx, ...events, ...endings)
  await recordActivities(ctx, activities)
  return attempts.length
}

type Ended = { settled: Settled; cycle: CycleResult }

function paid(attempt: Attempt, result: Extract<AttemptResult, { state: 'success' }>, orderId: number | null): Ended {
  const { paymentMethod, platformAttemptId } = result
  return {
    settled: {
      id: attempt.id,
      status: 'success',
      platformAttemptId,
      errorCode: null,
      errorMessage: null,
      declineCode: null,
      retryAt: null,
      attemptsRemaining: 0,
      orderId,
      paymentMethod
    },
    cycle: { subscriptionId: attempt.subscriptionId, cycle: attempt.cycleIndex, outcome: 'paid', paymentMethod }
  }
}

function declined(
  attempt: Attempt,
  result: Extract<AttemptResult, { state: 'failed' }>,
  subscription: Subscription,
  now: Temporal.Instant,
  store: Awaited<ReturnType<typeof storeFacts>>
): Ended {
  const decline = declineOf(result.errorCode)
  const step = stepAfter(attempt, decline, subscription, store.dunning, now, store.timezone)
  // One that was stopped meanwhile is not retried, nor a cycle that has been passed over.
  const goesOn = subscription.status === 'active' && attempt.cycleIndex === subscription.nextCycle
  const retryAt = goesOn ? step.retryAt : null
  const ref = { subscriptionId: attempt.subscriptionId, cycle: attempt.cycleIndex }
  return {
    settled: {
      id: attempt.id,
      status: 'failed',
      platformAttemptId: result.platformAttemptId,
      errorCode: decline.code,
      errorMessage: result.errorMessage ?? 'The charge failed',
      declineCode: decline.declineCode,
      retryAt,
      attemptsRemaining: goesOn ? step.attemptsRemaining : 0,
      orderId: null,
      paymentMethod: null
    },
    cycle:
      goesOn && step.outcome === 'given_up'
        ? { ...ref, outcome: 'given_up', ending: store.dunning.onFailure }
        : { ...ref, outcome: 'declined', retryAt, countsDecline: !attempt.manual }
  }
}

/**
 * What follows a decline. After one that somebody asked for, the ladder stands where it stood, and goes on with the retry
 * that waited; unless the card turns out to be dead. A payment method that came meanwhile is tried at once, whatever the ladder says.
 */
function stepAfter(
  attempt: Attempt,
  decline: Decline,
  { declines }: Subscription,
  dunning: DunningSettings,
  now: Temporal.Instant,
  timezone: string
): DunningStep {
  const manual = (): DunningStep => {
    const isDead = decline.kind === 'hard' && declines > 0
    const retryAt = isDead || attempt.ladderRetryAt === null ? null : latest(attempt.ladderRetryAt, now)
    return { outcome: 'declined', retryAt, attemptsRemaining: attemptsRemainingAfter(declines, dunning) }
  }
  const step = attempt.manual ? manual() : nextDunningStep(declines + 1, decline, dunning, now, timezone)
  if (!attempt.newPaymentMethod) return step
  return { outcome: 'declined', retryAt: now, attemptsRemaining: Math.max(step.attemptsRemaining, 1) }
}

const latest = (a: Temporal.Instant, b: Temporal.Instant) => (Temporal.Instant.compare(a, b) > 0 ? a : b)
