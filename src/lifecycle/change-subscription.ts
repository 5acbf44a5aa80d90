import type { Ctx } from '#kit/postgres'
import type { Actor } from '#subscriptions'
import type { RequestedChange } from './plan-change.ts'
import { requestChange } from './request-change.ts'
import { rescheduleSubscription } from './reschedule-subscription.ts'

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
