import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import {
  type Cancellation,
  cancelSubscription as endSubscription,
  pauseSubscription as haltSubscription
} from '#lifecycle'
import { type Actor, lockSubscriptions, reopenCycles, type Subscription } from '#subscriptions'
import { type Attempt, lockUnsentAttempts } from './attempt.ts'
import { billingFailed } from './events.ts'
import { clearRetries, failedSettlement, markSettled, type Settlement } from './settlement.ts'

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
  await voidAttempts(ctx, unsent, 'voided')
  const first = unsent.filter((attempt) => attempt.attemptNumber === 1)
  if (first.length > 0) {
    await reopenCycles(
      ctx,
      first.map((attempt) => ({ id: attempt.subscriptionId, cycle: attempt.cycleIndex }))
    )
  }
}

const REASONS = {
  voided: 'The subscription was stopped before the charge was sent',
  superseded: 'An earlier charge of the cycle turned out to be paid'
} as const

/**
 * Ends attempts that charged nothing as failed: `voided` before anything was sent, `superseded` where another has paid the
 * cycle. Every billing.pending has its end.
 */
export async function voidAttempts(ctx: Ctx, attempts: Attempt[], code: keyof typeof REASONS): Promise<void> {
  if (attempts.length === 0) return
  const ended = attempts.map((attempt) => ({ attempt, settled: voided(attempt, code) }))
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

function voided({ id }: Attempt, code: keyof typeof REASONS): Settlement {
  return { ...failedSettlement(id), errorCode: code, errorMessage: REASONS[code] }
}
