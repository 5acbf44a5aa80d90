import { applyPlans } from '#billing'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planReschedule } from '#subscriptions/transitions'

/**
 * Bills the next cycle at `nextBillingAt`, which the caller has checked to be ahead, and counts all later ones from there.
 * Refuses any status but active, and a cycle that is being charged or was declined. The date that it has already changes
 * nothing.
 */
export async function rescheduleSubscription(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant,
  by: Actor
): Promise<Subscription> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('reschedule', subscription, ctx.now)
  if (subscription.nextBillingAt?.equals(nextBillingAt)) return subscription

  const plan = planReschedule(subscription, nextBillingAt, await planContextOf(ctx))
  await applyPlans(ctx, [plan], by)

  return plan.after
}
