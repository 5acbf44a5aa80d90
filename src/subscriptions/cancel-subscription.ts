import type { Ctx } from '#kit/postgres'
import { type Actor, carryOut, planCancel, timesOf } from './moves.ts'
import { lockSubscriptions } from './queries.ts'
import { subscriptionNotFound, wrongStatus } from './refusals.ts'
import type { Subscription } from './subscription.ts'
import { allows } from './transitions.ts'

export type Cancellation = { reason: string; comment: string | null; by: Actor }

/** Ends it at once; nothing is charged any more. Refuses one that is already cancelled or expired. */
export async function cancelSubscription(
  ctx: Ctx,
  id: number,
  { reason, comment, by }: Cancellation
): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  if (!allows('cancel', subscription.status)) throw wrongStatus('cancel', id, subscription.status)

  const planned = planCancel(subscription, reason, comment, await timesOf(ctx))
  await carryOut(ctx, [planned], by)

  return planned.after
}
