import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import {
  type Actor,
  type Cancellation,
  cancelSubscription as endSubscription,
  giveBackCycles,
  pauseSubscription as haltSubscription,
  lockSubscriptions,
  type Subscription
} from '#subscriptions'
import { type Attempt, clearRetries, lockUnsentAttempts, markSettled, type Settled } from './attempt.ts'
import { billingFailed } from './events.ts'

/** Cancels a subscription and, in the same transaction, ends its unsent attempts and announced retries. */
export async function cancelSubscription(ctx: Ctx, id: number, cancellation: Cancellation): Promise<Subscription> {
  const subscription = await endSubscription(ctx, id, cancellation)
  await stopBilling(ctx, [id])
  return subscription
}

/** Pauses a subscription and, in the same transaction, ends its unsent attempts and announced retries. */
export async function pauseSubscription(
  ctx: Ctx,
  id: number,
  resumesAt: Temporal.Instant | null,
  by: Actor
): Promise<Subscription> {
  const subscription = await haltSubscription(ctx, id, resumesAt, by)
  await stopBilling(ctx, [id])
  return subscription
}

/**
 * Makes sure that nothing more is sent for stopped subscriptions. An attempt that was already sent stays pending: only
 * the platform can say how it ends.
 */
export async function stopBilling(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await clearRetries(ctx, subscriptionIds)
  const unsent = await lockUnsentAttempts(ctx, subscriptionIds)
  await voidAttempts(ctx, unsent)
  const first = unsent.filter((attempt) => attempt.attemptNumber === 1)
  if (first.length > 0) {
    await giveBackCycles(
      ctx,
      first.map((attempt) => ({ id: attempt.subscriptionId, cycle: attempt.cycleIndex }))
    )
  }
}

/** Ends attempts that never reached the platform as failed with the code `voided`; every billing.pending has its end. */
export async function voidAttempts(ctx: Ctx, attempts: Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  const ended = attempts.map((attempt) => ({ attempt, settled: voided(attempt) }))
  await markSettled(
    ctx,
    ended.map(({ settled }) => settled)
  )
  const subscriptions = await lockSubscriptions(ctx, [...new Set(attempts.map((a) => a.subscriptionId))])
  const byId = new Map(subscriptions.map((s) => [s.id, s]))
  await record(
    ctx,
    ...ended.map(({ attempt, settled }) =>
      billingFailed({ attempt, subscription: byId.get(attempt.subscriptionId)! }, settled)
    )
  )
}

function voided(attempt: Attempt): Settled {
  return {
    id: attempt.id,
    status: 'failed',
    platformAttemptId: null,
    errorCode: 'voided',
    errorMessage: 'The subscription was stopped before the charge was sent',
    declineCode: null,
    retryAt: null,
    attemptsRemaining: 0,
    orderId: null,
    paymentMethod: null
  }
}
