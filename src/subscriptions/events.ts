import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { defineFact } from '#kit/outbox'
import { customerPayload } from '#members'
import { gid, type ProfileName } from '#platform'
import type { EventData } from '#resources'
import type { Subscription } from './subscription.ts'

const FREQUENCY = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const

/** How often a subscription is billed: `monthly`, `every_3_months`. */
export function billingFrequency({
  interval,
  intervalCount
}: Pick<Subscription, 'interval' | 'intervalCount'>): string {
  return intervalCount === 1 ? FREQUENCY[interval] : `every_${intervalCount}_${interval}s`
}

/** The direct API and webhooks have three statuses: failed and expired are `cancelled` there. */
export function publicStatus(status: Subscription['status']): 'active' | 'paused' | 'cancelled' {
  return status === 'active' || status === 'paused' ? status : 'cancelled'
}

/** The payload of subscription.created, which every subscription event starts with (spec 1). */
function subscriptionPayload(subscription: Subscription, profile: ProfileName) {
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

const about = (subscription: Subscription) => ({
  orderingKey: `subscription:${subscription.id}` as const,
  refs: { subscriptionId: subscription.id, memberId: subscription.memberId }
})

export const subscriptionCreated = defineFact('subscription.created', (s: Subscription, profile: ProfileName) => ({
  ...about(s),
  data: subscriptionPayload(s, profile) satisfies EventData<'subscription.created'>
}))

export const subscriptionActivated = defineFact(
  'subscription.activated',
  (s: Subscription, at: Temporal.Instant, profile: ProfileName) => ({
    ...about(s),
    data: { ...subscriptionPayload(s, profile), activated_at: isoOf(at) } satisfies EventData<'subscription.activated'>
  })
)

type Changes = EventData<'subscription.updated'>['changes']

/** Each field of the payload that differs, except the status and its dates: transitions have events of their own. */
export function changesOf(before: Subscription, after: Subscription): Changes {
  const [from, to] = [changeable(before), changeable(after)]
  return Object.fromEntries(
    (Object.keys(from) as (keyof typeof from)[])
      .filter((name) => from[name] !== to[name])
      .map((name) => [name, { from: from[name], to: to[name] }])
  )
}

/** Reactivation has no event of its own, so the status is among the changes. */
export const reactivatedChanges = (before: Subscription, after: Subscription): Changes => ({
  status: { from: publicStatus(before.status), to: publicStatus(after.status) },
  ...changesOf(before, after)
})

const changeable = (s: Subscription) => ({
  receiver: s.receiverMemberId === null ? null : publicId('cust', s.receiverMemberId),
  plan_id: s.planId === null ? null : publicId('plan', s.planId),
  plan_name: s.name,
  price: numberOf(s.priceMinor, s.currency),
  billing_frequency: billingFrequency(s),
  next_billing_date: isoOrNull(s.nextBillingAt)
})

/** `changes` tells each changed field as {from, to}. */
export const subscriptionUpdated = defineFact(
  'subscription.updated',
  (s: Subscription, changes: Changes, profile: ProfileName) => ({
    ...about(s),
    data: { ...subscriptionPayload(s, profile), changes } satisfies EventData<'subscription.updated'>
  })
)

export const subscriptionPaused = defineFact('subscription.paused', (s: Subscription, profile: ProfileName) => ({
  ...about(s),
  data: {
    ...subscriptionPayload(s, profile),
    paused_at: isoOrNull(s.pausedAt),
    resumes_at: isoOrNull(s.resumesAt)
  } satisfies EventData<'subscription.paused'>
}))

export const subscriptionResumed = defineFact(
  'subscription.resumed',
  (s: Subscription, resumedAt: Temporal.Instant, profile: ProfileName) => ({
    ...about(s),
    data: {
      ...subscriptionPayload(s, profile),
      resumed_at: isoOf(resumedAt)
    } satisfies EventData<'subscription.resumed'>
  })
)

/** For a contract that was cancelled, failed or expired alike; the reason tells which. */
export const subscriptionCancelled = defineFact(
  'subscription.cancelled',
  (s: Subscription, at: Temporal.Instant, reason: string, profile: ProfileName) => ({
    ...about(s),
    data: {
      ...subscriptionPayload(s, profile),
      cancelled_at: isoOf(at),
      cancel_reason: reason
    } satisfies EventData<'subscription.cancelled'>
  })
)

export type SubscriptionFact = ReturnType<
  | typeof subscriptionCreated
  | typeof subscriptionActivated
  | typeof subscriptionUpdated
  | typeof subscriptionPaused
  | typeof subscriptionResumed
  | typeof subscriptionCancelled
>
