import type { Ctx } from '#kit/postgres'
import {
  type Actor,
  assertAllowed,
  lockEndedPauses,
  lockSubscriptions,
  type Subscription,
  subscriptionNotFound
} from '#subscriptions'
import { applyTransitions, planContextOf, planResume } from '#subscriptions/transitions'

/**
 * Takes up billing again at `nextBillingAt`, or at the next date of the series after now when that is null: a day
 * later with what was unpaid, if its period still runs then (docs/decisions/0010). Charges nothing at once by itself. Refuses any
 * status but paused.
 */
export async function resumeSubscription(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant | null,
  by: Actor
): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  assertAllowed('resume', subscription, ctx.now)

  const planned = planResume(subscription, nextBillingAt, await planContextOf(ctx))
  await applyTransitions(ctx, [planned], by)

  return planned.after
}

/**
 * Resumes those whose pause is over by now, up to `limit`, and tells how many. Where it ended long ago, while the service was
 * down, cycles since then are not passed over: they are due.
 */
export async function resumeEndedPauses(ctx: Ctx, limit: number): Promise<number> {
  const ended = await lockEndedPauses(ctx, limit)
  if (ended.length === 0) return 0
  const times = await planContextOf(ctx)
  await applyTransitions(
    ctx,
    // A cycle of the very moment of the end falls into the pause no more.
    ended.map((subscription) =>
      planResume(subscription, null, times, subscription.resumesAt!.subtract({ nanoseconds: 1 }))
    ),
    'scheduler'
  )
  return ended.length
}
