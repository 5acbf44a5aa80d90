import { applyPlans } from '#billing'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planResume } from '#subscriptions/transitions'

/**
 * Continues billing at `nextBillingAt`, or at the next date of the schedule when that is null: a day later with a past due
 * cycle, if its period still runs then (docs/decisions/0010). Charges nothing at once by itself. Refuses any status but paused.
 */
export async function resumeSubscription(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant | null,
  by: Actor
): Promise<Subscription> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('resume', subscription, ctx.now)

  const plan = planResume(subscription, nextBillingAt, await planContextOf(ctx))
  await applyPlans(ctx, [plan], by)

  return plan.after
}
