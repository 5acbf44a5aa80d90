import type { Ctx } from '#kit/postgres'
import { type Actor, named } from './activity-lines.ts'
import { lockSubscriptions } from './lock-subscriptions.ts'
import { recordActivities } from './record-activity.ts'
import { subscriptionNotFound } from './refusals.ts'

/** Puts what a person has to say about a subscription into its history. */
export async function noteSubscription(ctx: Ctx, id: number, notes: string, by: Actor): Promise<void> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  await recordActivities(ctx, [{ subscriptionId: id, kind: 'note', ...named(by), text: 'Note', notes }])
}
