import type { Ctx } from '#kit/postgres'
import {
  type Actor,
  assertAllowed,
  editWaitingContracts,
  lockEndedGraces,
  lockSubscriptions,
  markGracesOver,
  type Subscription,
  subscriptionNotFound
} from '#subscriptions'
import { applyTransitions, planContextOf, planReactivate, pushContracts } from '#subscriptions/transitions'

/**
 * Takes a cancellation back. It is billed again from the next date of its schedule after now, or a day later for what was
 * unpaid, if its period still runs then (docs/decisions/0010). Refuses what is not cancelled, and a cancellation that has become final (docs/decisions/0008).
 */
export async function reactivateSubscription(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  assertAllowed('reactivate', subscription, ctx.now)

  const planned = planReactivate(subscription, await planContextOf(ctx))
  await applyTransitions(ctx, [planned], by)
  await editWaitingContracts(ctx, [id])

  return planned.after
}

/** Makes cancellations final whose time is over by now, up to `limit`, on the platform too; tells how many. */
export async function endGraces(ctx: Ctx, limit: number): Promise<number> {
  const ended = (await lockEndedGraces(ctx, limit)).map(({ id }) => id)
  if (ended.length === 0) return 0
  await markGracesOver(ctx, ended)
  await pushContracts(ctx, ended)
  await editWaitingContracts(ctx, ended)
  return ended.length
}
