import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, noChange, planContextOf, planReschedule, type TransitionPlan } from '#subscriptions/transitions'
import { assertWithinTrial } from './assert-within-trial.ts'

/**
 * Bills the next cycle at `nextBillingAt`, which the caller has checked to be ahead, and counts all later ones from there.
 * Refuses any status but active, a cycle that is being charged or was declined, and a date after the end of a running trial. The
 * date that it has already changes nothing.
 */
export async function rescheduleSubscription(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant,
  by: Actor
): Promise<Subscription> {
  const plan = await previewReschedule(ctx, id, nextBillingAt)
  await applyPlans(ctx, [plan], by)

  return plan.after
}

/** What `rescheduleSubscription` would change; refuses what it refuses. */
export async function previewReschedule(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant
): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('reschedule', subscription, ctx.now)
  if (subscription.nextBillingAt?.equals(nextBillingAt)) return noChange(subscription)
  assertWithinTrial(subscription, nextBillingAt, { now: ctx.now, dueAt: subscription.nextBillingAt })

  return planReschedule(subscription, nextBillingAt, await planContextOf(ctx))
}
