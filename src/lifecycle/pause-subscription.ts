import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planPause, type TransitionPlan } from '#subscriptions/transitions'

/** Stops billing until `resumesAt`, or until someone resumes it when that is null. Refuses any status but active. */
export async function pauseSubscription(
  ctx: Ctx,
  id: number,
  resumesAt: Temporal.Instant | null,
  by: Actor
): Promise<Subscription> {
  const plan = await previewPause(ctx, id, resumesAt)
  await applyPlans(ctx, [plan], by)

  return plan.after
}

/** What `pauseSubscription` would change; refuses what it refuses. */
export async function previewPause(ctx: Ctx, id: number, resumesAt: Temporal.Instant | null): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('pause', subscription, ctx.now)

  return planPause(subscription, resumesAt, await planContextOf(ctx))
}
