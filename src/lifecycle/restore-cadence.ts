import type { Ctx } from '#kit/postgres'
import { type Actor, type Cadence, listChanges, lockSubscription } from '#subscriptions'
import { decide, isOver, writeChanges } from '#subscriptions/transitions'
import { planChange } from './plan-change.ts'

type Frequency = Pick<Cadence, 'interval' | 'intervalCount'>

/**
 * Requests the frequency from before an offer again, from the next cycle on, unless somebody has changed or requested another one since. Where the
 * subscription is cancelled and can be taken back, the request waits for that; where it has ended for good, there is none.
 */
export async function restoreCadence(
  ctx: Ctx,
  id: number,
  { given, former }: { given: Frequency; former: Frequency },
  by: Actor
): Promise<void> {
  const subscription = await lockSubscription(ctx, id)
  const { status, interval, intervalCount } = subscription
  if (isOver(status) && !('to' in decide('reactivate', subscription, ctx.now))) return
  if (interval !== given.interval || intervalCount !== given.intervalCount) return
  const [waiting = null] = await listChanges(ctx, [id])
  // A plan brings its interval along, also where that is the one that there is.
  if (waiting && (waiting.interval !== null || waiting.planId !== null)) return
  const change = planChange(subscription, waiting, null, former, by)
  if (change) await writeChanges(ctx, [change])
}
