import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { DomainEvent } from '#kit/outbox'
import { customerPayload } from '#members'
import { gid, type ProfileName } from '#platform'
import type { Subscription } from './subscription.ts'

const FREQUENCY = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const

/** How often it is billed, in a word: `monthly`, `every_3_months`. */
export function billingFrequency({
  interval,
  intervalCount
}: Pick<Subscription, 'interval' | 'intervalCount'>): string {
  return intervalCount === 1 ? FREQUENCY[interval] : `every_${intervalCount}_${interval}s`
}

/** The direct API and webhooks know three statuses; failed and expired are cancelled to them. */
export function publicStatus(status: Subscription['status']): 'active' | 'paused' | 'cancelled' {
  return status === 'active' || status === 'paused' ? status : 'cancelled'
}

/** The shape of subscription.created, which every subscription event begins with (spec 1). */
function subscriptionPayload(subscription: Subscription, profile: ProfileName) {
  return {
    subscription_id: publicId('sub', subscription.id),
    shopify_subscription_id: gid(profile, 'SubscriptionContract', subscription.platformContractId),
    customer: customerPayload(subscription, profile),
    plan: {
      id: subscription.planId && publicId('plan', subscription.planId),
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
  objectKey: `subscription:${subscription.id}` as const,
  refs: { subscriptionId: subscription.id, memberId: subscription.memberId }
})

export const subscriptionCreated = (s: Subscription, profile: ProfileName) =>
  ({ type: 'subscription.created', ...about(s), data: subscriptionPayload(s, profile) }) satisfies DomainEvent

export const subscriptionActivated = (s: Subscription, at: Temporal.Instant, profile: ProfileName) =>
  ({
    type: 'subscription.activated',
    ...about(s),
    data: { ...subscriptionPayload(s, profile), activated_at: isoOf(at) }
  }) satisfies DomainEvent

type Changes = Record<string, { from: string | number | null; to: string | number | null }>

/** Each field of the payload that differs, except status and what comes with it: those moves have events of their own. */
export function changesOf(before: Subscription, after: Subscription): Changes {
  const [from, to] = [changeable(before), changeable(after)]
  return Object.fromEntries(
    (Object.keys(from) as (keyof typeof from)[])
      .filter((name) => from[name] !== to[name])
      .map((name) => [name, { from: from[name], to: to[name] }])
  )
}

/** A cancellation that is taken back is no move with an event of its own, so the status is told as a change. */
export const reactivatedChanges = (before: Subscription, after: Subscription): Changes => ({
  status: { from: publicStatus(before.status), to: publicStatus(after.status) },
  ...changesOf(before, after)
})

const changeable = (s: Subscription) => ({
  receiver: s.receiverMemberId && publicId('cust', s.receiverMemberId),
  plan_id: s.planId && publicId('plan', s.planId),
  plan_name: s.name,
  price: numberOf(s.priceMinor, s.currency),
  billing_frequency: billingFrequency(s),
  next_billing_date: isoOrNull(s.nextBillingAt)
})

/** `changes` tells each changed field as {from, to}. */
export const subscriptionUpdated = (s: Subscription, changes: Changes, profile: ProfileName) =>
  ({
    type: 'subscription.updated',
    ...about(s),
    data: { ...subscriptionPayload(s, profile), changes }
  }) satisfies DomainEvent

export const subscriptionPaused = (s: Subscription, profile: ProfileName) =>
  ({
    type: 'subscription.paused',
    ...about(s),
    data: { ...subscriptionPayload(s, profile), paused_at: isoOrNull(s.pausedAt), resumes_at: isoOrNull(s.resumesAt) }
  }) satisfies DomainEvent

export const subscriptionResumed = (s: Subscription, resumedAt: Temporal.Instant, profile: ProfileName) =>
  ({
    type: 'subscription.resumed',
    ...about(s),
    data: { ...subscriptionPayload(s, profile), resumed_at: isoOf(resumedAt) }
  }) satisfies DomainEvent

/** For a contract that was cancelled, failed or expired alike; the reason tells which. */
export const subscriptionCancelled = (s: Subscription, at: Temporal.Instant, reason: string, profile: ProfileName) =>
  ({
    type: 'subscription.cancelled',
    ...about(s),
    data: { ...subscriptionPayload(s, profile), cancelled_at: isoOf(at), cancel_reason: reason }
  }) satisfies DomainEvent
