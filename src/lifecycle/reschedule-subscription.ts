import type { Ctx } from '#kit/postgres'
import { type Actor, assertAllowed, lockSubscriptions, type Subscription, subscriptionNotFound } from '#subscriptions'
import { applyTransitions, planContextOf, planReschedule } from '#subscriptions/transitions'

/**
 * Bills the next cycle at `nextBillingAt`, which the caller has seen to lie ahead, and counts all later ones from there.
 * Refuses any status but active, and a cycle that is being charged or was declined. The date that it has already changes
 * nothing.
 */
export async function rescheduleSubscription(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant,
  by: Actor
): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  assertAllowed('reschedule', subscription, ctx.now)
  if (subscription.nextBillingAt?.equals(nextBillingAt)) return subscription

  const planned = planReschedule(subscription, nextBillingAt, await planContextOf(ctx))
  await applyTransitions(ctx, [planned], by)

  return planned.after
}
