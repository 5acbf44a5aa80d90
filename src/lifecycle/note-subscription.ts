import type { Ctx } from '#kit/postgres'
import { type Actor, actorOf, lockSubscription, recordActivities } from '#subscriptions'

/** Adds a person's note to the history of a subscription. */
export async function noteSubscription(ctx: Ctx, id: number, notes: string, by: Actor): Promise<void> {
  await lockSubscription(ctx, id)
  await recordActivities(ctx, [{ subscriptionId: id, kind: 'note', ...actorOf(by), text: 'Note', notes }])
}
