import { applyPlans, isCycleHeld } from '#billing'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planSkip } from '#subscriptions/transitions'

/**
 * Skips the next cycle: it is never billed, and the one after it keeps its date. Also skips a cycle that is held for a person,
 * which nothing else would ever end. Refuses any status but active, a cycle that is being charged, and one that was declined and
 * waits for a retry or its customer. A fixed number of cycles counts paid ones, so it ends later.
 */
export async function skipCycle(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed((await isCycleHeld(ctx, subscription)) ? 'skip_held' : 'skip', subscription, ctx.now)

  const plan = planSkip(subscription, await planContextOf(ctx))
  await applyPlans(ctx, [plan], by)

  return plan.after
}
