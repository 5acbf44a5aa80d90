import type { Ctx } from '#kit/postgres'
import type { Actor } from './activity-lines.ts'
import { lockSubscriptions } from './lock-subscriptions.ts'
import { carryOut, planSkip, timesOf } from './moves.ts'
import { mustAllow, subscriptionNotFound } from './refusals.ts'
import type { Subscription } from './subscription.ts'

/**
 * Passes over the next cycle: it is never billed, and the one after it keeps its date. Refuses any status but active, a
 * cycle that is being charged or was declined. A fixed number of cycles counts those that were paid, so it ends later.
 */
export async function skipCycle(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  mustAllow('skip', subscription, ctx.now)

  const planned = planSkip(subscription, await timesOf(ctx))
  await carryOut(ctx, [planned], by)

  return planned.after
}
