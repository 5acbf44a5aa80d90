import type { Ctx } from '#kit/postgres'
import { type Actor, actorOf, lockSubscriptions, recordActivities, subscriptionNotFound } from '#subscriptions'

/** Puts what a person has to say about a subscription into its history. */
export async function noteSubscription(ctx: Ctx, id: number, notes: string, by: Actor): Promise<void> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  await recordActivities(ctx, [{ subscriptionId: id, kind: 'note', ...actorOf(by), text: 'Note', notes }])
}
