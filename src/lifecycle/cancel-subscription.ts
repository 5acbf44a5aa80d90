import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { type Actor, assertAllowed, lockSubscriptions, type Subscription, subscriptionNotFound } from '#subscriptions'
import { applyTransitions, planCancel, planContextOf, type TransitionPlan } from '#subscriptions/transitions'
import { reactivationGraceSettings } from './settings.ts'

export type Cancellation = { reason: string; comment: string | null; by: Actor }

/**
 * Ends it at once; nothing is charged any more. For the store's hours of grace the platform's contract is only paused, so
 * that it can be taken back (docs/decisions/0008). One that failed keeps when and why it ended. Refuses one that is already
 * cancelled or expired.
 */
export async function cancelSubscription(
  ctx: Ctx,
  id: number,
  { reason, comment, by }: Cancellation
): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  assertAllowed('cancel', subscription, ctx.now)

  const times = await planContextOf(ctx)
  const hasFailed = subscription.status === 'failed'
  // What was given up as unpaid is over: cancelling it must not be a way back.
  const graceHours = hasFailed ? 0 : await settingsOf(ctx, reactivationGraceSettings)
  const cancelled = planCancel(subscription, reason, comment, times, graceHours)
  const planned = hasFailed ? asOfItsFailure(cancelled) : cancelled
  await applyTransitions(ctx, [planned], by)

  return planned.after
}

/** It ended when it failed, and was told as cancelled then. */
function asOfItsFailure(planned: TransitionPlan): TransitionPlan {
  const { cancelledAt, cancelReason } = planned.before
  return { ...planned, after: { ...planned.after, cancelledAt, cancelReason }, events: [] }
}
