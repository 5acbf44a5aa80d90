import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerPayload } from '#members'
import { gid, type ProfileName } from '#platform'
import type { EventType } from '#resources'

/** Far above any number that is given: a sample is of nothing that is there, so a receiver cannot act on a real customer. */
const NOBODY = 9_000_000_000_000_024

/**
 * A realistic `data` of each event type, for test sends. All of them are of one life: the same person, plan and price at
 * the store's present time. Validated against the published schemas in test/event-schemas.test.ts.
 */
export function sampleOf(
  type: EventType,
  store: { currency: string; profile: ProfileName; now: Temporal.Instant }
): Record<string, unknown> {
  return SAMPLES[type](settingOf(store))
}

type Setting = ReturnType<typeof settingOf>

/** What the samples share. Amounts are minor units, so that 2900 is 29 USD, 2900 JPY and 2.9 KWD. */
function settingOf({ currency, profile, now }: Parameters<typeof sampleOf>[1]) {
  const present = isoOf(now)
  const at = (distance: Temporal.DurationLike) => isoOf(now.toZonedDateTimeISO('UTC').add(distance).toInstant())
  const amount = (minor: number) => numberOf(minor, currency)
  const customer = customerPayload(
    {
      memberId: NOBODY,
      platformCustomerId: String(NOBODY),
      email: 'hanna.ito@example.com',
      firstName: 'Hanna',
      lastName: 'Ito'
    },
    profile
  )
  const person = { id: customer.id, email: customer.email }
  const planId = publicId('plan', NOBODY)
  const subscription = {
    subscription_id: publicId('sub', NOBODY),
    shopify_subscription_id: gid(profile, 'SubscriptionContract', String(NOBODY)),
    customer,
    plan: { id: planId, name: 'VIP', price: amount(2900), currency, billing_frequency: 'monthly' },
    status: 'active',
    created_at: at({ months: -3 }),
    next_billing_date: at({ months: 1 })
  }
  const charge = {
    billing_attempt_id: publicId('ba', NOBODY),
    subscription_id: subscription.subscription_id,
    customer: person,
    amount: amount(2900),
    currency
  }
  const member = {
    member_id: publicId('mem', NOBODY),
    id: publicId('mem', NOBODY),
    customer,
    status: 'active',
    plan_id: planId,
    plan_name: 'VIP',
    tier: 'VIP',
    loyalty_points: 120,
    store_credit_balance: amount(1500),
    currency,
    birth_date: '1990-04-17',
    member_since: at({ months: -3 }),
    next_billing_date: at({ months: 1 }),
    created_at: at({ months: -3 }),
    updated_at: present
  }
  const credit = { transaction_id: publicId('sct', NOBODY), customer: person, amount: amount(500), currency }
  return { present, at, amount, currency, profile, person, subscription, charge, member, credit }
}

const DECLINE = {
  code: 'card_declined',
  message: 'The card has insufficient funds.',
  decline_code: 'insufficient_funds'
}

const SAMPLES: Record<EventType, (setting: Setting) => Record<string, unknown>> = {
  'subscription.created': ({ subscription, present }) => ({ ...subscription, created_at: present }),
  'subscription.activated': ({ subscription, present }) => ({
    ...subscription,
    created_at: present,
    activated_at: present
  }),
  'subscription.updated': ({ subscription, amount }) => ({
    ...subscription,
    changes: { price: { from: amount(2400), to: amount(2900) } }
  }),
  'subscription.paused': ({ subscription, at, present }) => ({
    ...subscription,
    status: 'paused',
    next_billing_date: null,
    paused_at: present,
    resumes_at: at({ days: 30 })
  }),
  'subscription.resumed': ({ subscription, present }) => ({ ...subscription, resumed_at: present }),
  'subscription.cancelled': ({ subscription, present }) => ({
    ...subscription,
    status: 'cancelled',
    next_billing_date: null,
    cancelled_at: present,
    cancel_reason: 'too_expensive'
  }),
  'billing.pending': ({ charge, present }) => ({ ...charge, scheduled_at: present }),
  'billing.success': ({ charge, amount, currency, profile, at }) => ({
    ...charge,
    order: {
      id: publicId('ord', NOBODY),
      shopify_id: gid(profile, 'Order', String(NOBODY)),
      order_number: '1004',
      total: amount(2900),
      currency
    },
    payment_method: { type: 'card', last_four: '4242', brand: 'Visa' },
    next_billing_date: at({ months: 1 })
  }),
  'billing.failed': ({ charge, at }) => ({
    ...charge,
    error: DECLINE,
    retry_scheduled: true,
    retry_date: at({ days: 2 }),
    attempts_remaining: 4
  }),
  'billing.retry_scheduled': ({ charge, at, present }) => ({
    ...charge,
    scheduled_at: present,
    retry_date: at({ days: 2 }),
    attempt_number: 1,
    attempts_remaining: 4,
    error: DECLINE
  }),
  'billing.action_required': ({ charge, present }) => ({
    ...charge,
    scheduled_at: present,
    action_url: 'https://shop.example.com/challenges/sample',
    reminder: 0
  }),
  'member.created': ({ member, present }) => ({
    ...member,
    loyalty_points: 0,
    store_credit_balance: 0,
    member_since: present,
    created_at: present
  }),
  'member.updated': ({ member }) => ({ ...member, changes: { last_name: { from: 'Itoh', to: 'Ito' } } }),
  'member.tier_changed': ({ member, person }) => ({
    member_id: member.member_id,
    customer: person,
    tier: { previous: 'VIP', new: 'Elite' }
  }),
  'member.points_changed': ({ member, person }) => ({
    member_id: member.member_id,
    customer: person,
    points: { previous_balance: 100, new_balance: 120, change: 20 },
    reason: 'Welcome gift',
    order_id: null
  }),
  'store_credit.added': ({ credit, amount }) => ({
    ...credit,
    previous_balance: amount(1000),
    new_balance: amount(1500),
    reason: 'Sorry for the late parcel',
    order_id: null
  }),
  'store_credit.deducted': ({ credit, amount }) => ({
    ...credit,
    previous_balance: amount(1500),
    new_balance: amount(1000),
    reason: 'Taken back, the parcel came in time',
    order_id: null
  })
}
