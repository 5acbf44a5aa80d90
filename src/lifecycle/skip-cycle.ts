import { isCycleHeld } from '#billing'
import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planSkip, type TransitionPlan } from '#subscriptions/transitions'

/**
 * Skips the next cycle: it is never billed, and the one after it keeps its date. Also skips a cycle that is held for a person,
 * which nothing else would ever end. Refuses any status but active, the first cycle of a running trial, a cycle that is being
 * charged, and one that was declined and waits for a retry or its customer. A fixed number of cycles counts paid ones, so it ends later.
 */
export async function skipCycle(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const plan = await previewSkip(ctx, id)
  await applyPlans(ctx, [plan], by)

  return plan.after
}

/** What `skipCycle` would change; refuses what it refuses. */
export async function previewSkip(ctx: Ctx, id: number): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed((await isCycleHeld(ctx, subscription)) ? 'skip_held' : 'skip', subscription, ctx.now)

  return planSkip(subscription, await planContextOf(ctx))
}
