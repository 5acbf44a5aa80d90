import type { Ctx } from '#kit/postgres'
import { type Actor, assertAllowed, lockSubscriptions, type Subscription, subscriptionNotFound } from '#subscriptions'
import { applyTransitions, planContextOf, planPause } from '#subscriptions/transitions'

/** Stops billing until `resumesAt`, or until someone resumes it when that is null. Refuses any status but active. */
export async function pauseSubscription(
  ctx: Ctx,
  id: number,
  resumesAt: Temporal.Instant | null,
  by: Actor
): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  assertAllowed('pause', subscription, ctx.now)

  const planned = planPause(subscription, resumesAt, await planContextOf(ctx))
  await applyTransitions(ctx, [planned], by)

  return planned.after
}
