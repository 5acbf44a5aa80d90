import type { Ctx } from '#kit/postgres'
import type { Actor } from '#subscriptions'
import type { TransitionPlan } from '#subscriptions/transitions'
import type { RequestedChange } from './plan-change.ts'
import { type ChangePlan, previewChange, requestChange } from './request-change.ts'
import { previewReschedule, rescheduleSubscription } from './reschedule-subscription.ts'

/** What is to be different of a running subscription; what is left out stays. */
export type SubscriptionChange = RequestedChange & { nextBillingAt?: Temporal.Instant }

/**
 * Changes a running subscription. A next billing date takes effect immediately. Terms and payment method are requested from
 * the platform and take effect with the next cycle.
 */
export async function changeSubscription(
  ctx: Ctx,
  id: number,
  { nextBillingAt, ...requested }: SubscriptionChange,
  by: Actor
): Promise<void> {
  if (nextBillingAt) await rescheduleSubscription(ctx, id, nextBillingAt, by)
  if (Object.keys(requested).length > 0) await requestChange(ctx, id, requested, by)
}

/**
 * What `changeSubscription` would change at once, and what it would request; refuses what it refuses. The two are planned from the
 * same row: no terms depend on the date.
 */
export async function previewChanges(
  ctx: Ctx,
  id: number,
  { nextBillingAt, ...requested }: SubscriptionChange,
  by: Actor
): Promise<{ date: TransitionPlan | null; terms: ChangePlan | null }> {
  return {
    date: nextBillingAt ? await previewReschedule(ctx, id, nextBillingAt) : null,
    terms: Object.keys(requested).length > 0 ? await previewChange(ctx, id, requested, by) : null
  }
}
