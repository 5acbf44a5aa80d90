import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import { type Actor, giveBackForfeitOf, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planReactivate, type TransitionPlan } from '#subscriptions/transitions'

/**
 * Takes a cancellation back. Billing continues at the next date of the schedule, or a day later with a past due cycle, if its
 * period still runs then (docs/decisions/0010). Refuses what is not cancelled, and a cancellation that has become final
 * (docs/decisions/0008).
 */
export async function reactivateSubscription(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const plan = await previewReactivation(ctx, id)
  await applyPlans(ctx, [plan], by)
  await giveBackForfeitOf(ctx, plan.before)

  return plan.after
}

/** What `reactivateSubscription` would change; refuses what it refuses. */
export async function previewReactivation(ctx: Ctx, id: number): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('reactivate', subscription, ctx.now)

  return planReactivate(subscription, await planContextOf(ctx))
}
