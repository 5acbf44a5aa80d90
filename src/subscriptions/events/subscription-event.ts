import type { TProperties } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerKey, customerPayload } from '#members'
import { gid, type ProfileName } from '#platform'
import { defineEvent, type Shown, SubscriptionBody } from '#resources'
import { billingFrequency, publicStatus } from '../public-fields.ts'
import type { Subscription } from '../subscription.ts'

const { subscription_id, shopify_subscription_id, customer, plan, status, created_at, next_billing_date } =
  SubscriptionBody.properties

/** The fields of `subscription.created`, which every event of a subscription begins with (spec 1). */
const subscription = {
  subscription_id,
  shopify_subscription_id,
  customer,
  plan,
  status,
  created_at,
  next_billing_date
}

/** Declares an event of a subscription by the fields that it has besides. */
export function subscriptionEvent<Also extends TProperties>(summary: string, also: Also, shown: Shown) {
  return defineEvent({ summary, fields: { ...subscription, ...also }, like: SubscriptionBody, shown })
}

/** These fields of a subscription. */
export function subscriptionPayload(subscription: Subscription, profile: ProfileName) {
  return {
    subscription_id: publicId('sub', subscription.id),
    shopify_subscription_id: gid(profile, 'SubscriptionContract', subscription.platformContractId),
    customer: customerPayload(subscription, profile),
    plan: {
      id: subscription.planId === null ? null : publicId('plan', subscription.planId),
      name: subscription.name,
      price: numberOf(subscription.priceMinor, subscription.currency),
      currency: subscription.currency,
      billing_frequency: billingFrequency(subscription)
    },
    status: publicStatus(subscription.status),
    created_at: isoOf(subscription.createdAt),
    next_billing_date: isoOrNull(subscription.nextBillingAt)
  }
}

/**
 * What a fact of a subscription is about. Its key is the customer of the payload: the one who pays, also where the subscription is
 * a gift.
 */
export const about = (subscription: Subscription) => ({
  orderingKey: customerKey(subscription.memberId),
  refs: {
    subscriptionId: subscription.id,
    memberId: subscription.memberId,
    ...(subscription.receiverMemberId !== null && { receiverMemberId: subscription.receiverMemberId })
  }
})

/** The first day of the life that the examples are of. */
export const FIRST_DAY = {
  shownAt: '2026-09-15T05:25:00.000Z',
  next_billing_date: '2026-10-15T05:25:00.000Z'
}
