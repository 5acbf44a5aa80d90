import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import {
  assertAllowed,
  planCancel,
  planCancelFailed,
  planContextOf,
  type TransitionPlan
} from '#subscriptions/transitions'
import { reactivationGraceSettings } from './settings.ts'

export type Cancellation = { reason: string; comment: string | null; by: Actor }

/**
 * Ends a subscription at once; nothing is charged any more. For the store's hours of grace the platform's contract is only
 * paused, so that the cancellation can be taken back (docs/decisions/0008). Refuses one that is cancelled or expired.
 */
export async function cancelSubscription(ctx: Ctx, id: number, { by, ...why }: Cancellation): Promise<Subscription> {
  const plan = await previewCancellation(ctx, id, why)
  await applyPlans(ctx, [plan], by)

  return plan.after
}

/** What `cancelSubscription` would change; refuses what it refuses. */
export async function previewCancellation(
  ctx: Ctx,
  id: number,
  { reason, comment }: Omit<Cancellation, 'by'>
): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('cancel', subscription, ctx.now)

  const context = await planContextOf(ctx)
  return subscription.status === 'failed'
    ? planCancelFailed(subscription, reason, comment, context)
    : planCancel(subscription, reason, comment, context, await settingsOf(ctx, reactivationGraceSettings))
}
