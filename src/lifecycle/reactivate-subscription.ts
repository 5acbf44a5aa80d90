import { applyPlans } from '#billing'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, enqueueWaitingEdits, planContextOf, planReactivate } from '#subscriptions/transitions'

/**
 * Takes a cancellation back. Billing continues at the next date of the schedule, or a day later with a past due cycle, if its
 * period still runs then (docs/decisions/0010). Refuses what is not cancelled, and a cancellation that has become final
 * (docs/decisions/0008).
 */
export async function reactivateSubscription(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('reactivate', subscription, ctx.now)

  const plan = planReactivate(subscription, await planContextOf(ctx))
  await applyPlans(ctx, [plan], by)
  // Changes that were requested before the cancellation waited for it.
  await enqueueWaitingEdits(ctx, [id])

  return plan.after
}
