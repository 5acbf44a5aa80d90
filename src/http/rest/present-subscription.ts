import type { Static } from 'typebox'
import { contractOfferJson, contractOfferOf } from '#churn'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerPayload } from '#members'
import { gid } from '#platform'
import type { GiftBody, PendingChangeBody, SubscriptionBody } from '#resources'
import type { PlatformProfileName } from '#stores'
import { billingFrequency, publicStatus } from '#subscriptions'
import type { SubscriptionView } from '#views'

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
    status: publicStatus(subscription.status),
    price,
    currency: subscription.currency,
    interval: subscription.interval,
    interval_count: subscription.intervalCount,
    cycle_index: subscription.cycleIndex,
    max_cycles: subscription.maxCycles,
    trial_ends_at: subscription.trialEndsAt,
    next_billing_date: subscription.nextBillingAt,
    paused_at: subscription.pausedAt,
    resumes_at: subscription.resumesAt,
    cancelled_at: subscription.cancelledAt,
    cancel_reason: subscription.cancelReason,
    reactivatable_until: subscription.graceEndsAt,
    pending_change: presentPendingChange(subscription),
    gift: presentGift(subscription, profile),
    offer: subscription.offer && contractOfferJson(contractOfferOf(subscription.offer)),
    created_at: subscription.createdAt,
    updated_at: subscription.updatedAt
  }
}

function presentGift(view: SubscriptionView, profile: PlatformProfileName): Static<typeof GiftBody> | null {
  const { receiverMemberId, receiverPlatformId, giftedAt } = view
  if (receiverMemberId === null || receiverPlatformId === null || giftedAt === null) return null
  const receiver = {
    memberId: receiverMemberId,
    platformCustomerId: receiverPlatformId,
    email: view.receiverEmail,
    firstName: view.receiverFirstName,
    lastName: view.receiverLastName
  }
  return { giver: customerPayload(view, profile), receiver: customerPayload(receiver, profile), given_at: giftedAt }
}

function presentPendingChange(view: SubscriptionView): Static<typeof PendingChangeBody> | null {
  if (view.changeRequestedAt === null) return null
  const { pendingPlanId, pendingPriceMinor } = view
  return {
    plan_id: pendingPlanId === null ? null : publicId('plan', pendingPlanId),
    price: pendingPriceMinor === null ? null : numberOf(pendingPriceMinor, view.currency),
    interval: view.pendingInterval,
    interval_count: view.pendingIntervalCount,
    payment_method_id: view.pendingPaymentMethodId,
    requested_at: view.changeRequestedAt
  }
}
