import { applyPlans } from '#billing'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planPause } from '#subscriptions/transitions'

/** Stops billing until `resumesAt`, or until someone resumes it when that is null. Refuses any status but active. */
export async function pauseSubscription(
  ctx: Ctx,
  id: number,
  resumesAt: Temporal.Instant | null,
  by: Actor
): Promise<Subscription> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('pause', subscription, ctx.now)

  const plan = planPause(subscription, resumesAt, await planContextOf(ctx))
  await applyPlans(ctx, [plan], by)

  return plan.after
}
