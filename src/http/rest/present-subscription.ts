import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerPayload } from '#members'
import { gid } from '#platform'
import type { SubscriptionView } from '#reports'
import type { PlatformProfileName } from '#stores'
import { billingFrequency, shownStatus } from '#subscriptions'
import { OrNull } from './fields.ts'
import { CustomerBody } from './present-member.ts'

export const SubscriptionBody = Type.Object(
  {
    id: Type.String(),
    subscription_id: Type.String(),
    shopify_subscription_id: Type.String(),
    customer_id: Type.String(),
    customer: CustomerBody,
    plan_id: OrNull(Type.String()),
    plan: Type.Object({
      id: OrNull(Type.String()),
      name: Type.String(),
      price: Type.Number(),
      currency: Type.String(),
      billing_frequency: Type.String()
    }),
    status: Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')]),
    price: Type.Number(),
    currency: Type.String(),
    cycle_index: Type.Integer(),
    trial_ends_at: OrNull(Type.String()),
    next_billing_date: OrNull(Type.String()),
    paused_at: OrNull(Type.String()),
    resumes_at: OrNull(Type.String()),
    cancelled_at: OrNull(Type.String()),
    cancel_reason: OrNull(Type.String()),
    offer: Type.Null(),
    created_at: Type.String(),
    updated_at: Type.String()
  },
  { additionalProperties: false }
)

/**
 * A subscription of the direct API: the payload of subscription.created and more. The spec calls its id `id` as a
 * resource and `subscription_id` in the payload, so it has both.
 */
export function presentSubscription(
  subscription: SubscriptionView,
  profile: PlatformProfileName
): Static<typeof SubscriptionBody> {
  const id = publicId('sub', subscription.id)
  const planId = subscription.planId === null ? null : publicId('plan', subscription.planId)
  const price = numberOf(subscription.priceMinor, subscription.currency)
  return {
    id,
    subscription_id: id,
    shopify_subscription_id: gid(profile, 'SubscriptionContract', subscription.platformContractId),
    customer_id: publicId('cust', subscription.memberId),
    customer: customerPayload(subscription, profile),
    plan_id: planId,
    plan: {
      id: planId,
      name: subscription.planName,
      price,
      currency: subscription.currency,
      billing_frequency: billingFrequency(subscription)
    },
    status: shownStatus(subscription.status),
    price,
    currency: subscription.currency,
    cycle_index: subscription.cycleIndex,
    trial_ends_at: isoOrNull(subscription.trialEndsAt),
    next_billing_date: isoOrNull(subscription.nextBillingAt),
    paused_at: isoOrNull(subscription.pausedAt),
    resumes_at: isoOrNull(subscription.resumesAt),
    cancelled_at: isoOrNull(subscription.cancelledAt),
    cancel_reason: subscription.cancelReason,
    offer: null,
    created_at: isoOf(subscription.createdAt),
    updated_at: isoOf(subscription.updatedAt)
  }
}
