import { type Static, Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { internalId, publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { definePublicFact } from '#kit/outbox'
import type { ProfileName } from '#platform'
import { Changes, OrNull, SubscriptionBody } from '#resources'
import { billingFrequency, publicStatus } from '../public-fields.ts'
import type { Subscription } from '../subscription.ts'
import { about, subscriptionEvent, subscriptionPayload } from './subscription-event.ts'

const { status, plan_id, plan, next_billing_date, offer } = SubscriptionBody.properties

const changes = Changes({
  status,
  plan_id,
  plan_name: plan.properties.name,
  price: plan.properties.price,
  billing_frequency: plan.properties.billing_frequency,
  next_billing_date,
  offer,
  receiver: OrNull(
    Type.String({ description: 'The customer who receives it as a gift, `cust_31`; null when it is not a gift' })
  )
})
type Changed = Static<typeof changes>

/** `changed` has each changed field as {from, to}. */
export const subscriptionUpdated = definePublicFact(
  'subscription.updated',
  subscriptionEvent(
    'The plan, price, interval, next billing date, offer or gift receiver changed, or a cancellation was revoked',
    { changes },
    { shownAt: '2026-11-20T09:00:00.000Z', changes: { price: { from: 24, to: 29 } } }
  ),
  (s: Subscription, changed: Changed, profile: ProfileName) => {
    const { orderingKey, refs } = about(s)
    const former = changed.receiver?.from ? internalId('cust', changed.receiver.from) : null
    return {
      orderingKey,
      refs: former === null ? refs : { ...refs, formerReceiverMemberId: former },
      data: { ...subscriptionPayload(s, profile), changes: changed }
    }
  }
)

/** Each field of the payload that differs, except the status and its dates: transitions have events of their own. */
export function changesOf(before: Subscription, after: Subscription): Changed {
  const [from, to] = [changeable(before), changeable(after)]
  return Object.fromEntries(
    (Object.keys(from) as (keyof typeof from)[])
      .filter((name) => from[name] !== to[name])
      .map((name) => [name, { from: from[name], to: to[name] }])
  )
}

/** Reactivation has no event of its own, so the status is among the changes. */
export const reactivatedChanges = (before: Subscription, after: Subscription): Changed => ({
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
