import type { Ctx } from '#kit/postgres'
import { type Actor, assertAllowed, lockSubscriptions, type Subscription, subscriptionNotFound } from '#subscriptions'
import { applyTransitions, noDeclines, planContextOf, planSkip } from '#subscriptions/transitions'

/**
 * Passes over the next cycle: it is never billed, and the one after it keeps its date. Refuses any status but active, and a
 * cycle that is being charged or was declined, unless `isHeld` says that it waits for a person, and would for ever. A fixed
 * number of cycles counts those that were paid, so it ends later.
 */
export async function skipCycle(
  ctx: Ctx,
  id: number,
  by: Actor,
  isHeld: (subscription: Subscription) => Promise<boolean> = async () => false
): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  assertAllowed((await isHeld(subscription)) ? 'skip_held' : 'skip', subscription, ctx.now)

  const planned = planSkip({ ...subscription, ...noDeclines }, await planContextOf(ctx))
  await applyTransitions(ctx, [planned], by)

  return planned.after
}
