import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { CustomerAccount } from '#members'
import type { FirstOrders } from '#order-effects'
import { OrNull, Timestamp } from '#resources'
import type { MemberView } from '#views'

const Consent = (description: string) =>
  OrNull(
    Type.Object(
      {
        state: Type.String({
          description: '`subscribed`, `unsubscribed`, `pending`, `not_subscribed`, `redacted` or `invalid`'
        }),
        changed_at: OrNull(Timestamp('The time of the last change on the platform'))
      },
      { description }
    )
  )

export const MemberBody = Type.Object(
  {
    id: Type.String({ description: 'The member id, `mem_24`' }),
    platform_customer_id: Type.String({ description: "The platform's number of the customer" }),
    email: OrNull(Type.String({ description: 'As the platform has it' })),
    name: OrNull(Type.String({ description: 'First and last name, as the platform has them' })),
    status: Type.String({
      description: '`active` if any subscription is active, else `paused` if any is paused, else `cancelled`'
    }),
    has_unpaid_cycle: Type.Boolean({
      description: 'Whether an active subscription of theirs has a cycle that was charged and not paid'
    }),
    plan_id: OrNull(Type.String({ description: 'The plan of the membership; after its end, the last one' })),
    plan_name: OrNull(Type.String({ description: 'The name of that plan' })),
    tier: OrNull(Type.String({ description: 'The tier that the plan grants; null after the end' })),
    loyalty_tier: OrNull(Type.String({ description: 'The name of the tier of loyalty; null for none' })),
    loyalty_points: Type.Integer({ description: 'The balance of points' }),
    store_credit_balance: Type.Number({ description: 'The balance of store credit, in `currency`' }),
    currency: Type.String({ description: 'ISO 4217' }),
    member_since: Timestamp('When the first membership began'),
    next_billing_date: OrNull(Timestamp('The earliest next billing date of their subscriptions')),
    first_orders: OrNull(
      Type.Object(
        {
          first: Timestamp('The first order of all'),
          checkout_type: OrNull(Type.String({ description: 'Of that order: `VIP`, `Product Subscription` or `PAYG`' })),
          membership: OrNull(Timestamp('The first of a membership')),
          membership_renewal: OrNull(Timestamp('The first renewal of one')),
          product: OrNull(Timestamp('The first of a product subscription')),
          product_renewal: OrNull(Timestamp('The first renewal of one')),
          may_be_later: Type.Boolean({
            description:
              'Whether earlier orders may exist that the app may not read: it has no scope `read_all_orders`, and orders older than 60 days are not seen'
          })
        },
        { description: 'When they first placed an order that was not cancelled; null without any' }
      )
    ),
    email_consent: Consent(
      'Whether they want e-mails of the shop, as the platform has it; null where it has not reported it'
    ),
    sms_consent: Consent('The same for texts to their telephone'),
    account_state: OrNull(
      Type.String({
        description:
          'Their account in the shop: `enabled`, `disabled`, `invited` or `declined`; null where the platform has not reported it'
      })
    ),
    created_at: Timestamp('When the service first recorded the customer')
  },
  {
    title: 'Member',
    description: 'A customer who holds or held a membership or a subscription.',
    examples: [
      {
        id: 'mem_24',
        platform_customer_id: '7064055069370',
        email: 'hanna.ito@example.com',
        name: 'Hanna Ito',
        status: 'active',
        has_unpaid_cycle: false,
        plan_id: 'plan_3',
        plan_name: 'VIP',
        tier: 'VIP',
        loyalty_tier: 'Gold',
        loyalty_points: 120,
        store_credit_balance: 15,
        currency: 'EUR',
        member_since: '2026-09-15T05:25:00.000Z',
        next_billing_date: '2026-12-15T06:25:00.000Z',
        first_orders: {
          first: '2026-09-15T05:25:00.000Z',
          checkout_type: 'VIP',
          membership: '2026-09-15T05:25:00.000Z',
          membership_renewal: '2026-10-15T05:25:00.000Z',
          product: null,
          product_renewal: null,
          may_be_later: false
        },
        email_consent: { state: 'subscribed', changed_at: '2026-09-15T05:25:00.000Z' },
        sms_consent: { state: 'not_subscribed', changed_at: null },
        account_state: 'enabled',
        created_at: '2026-09-15T05:25:00.000Z'
      }
    ]
  }
)

/** `seesAllOrders`: whether the app may read orders of any age. */
export function presentMember(
  view: MemberView,
  {
    first,
    account,
    owes,
    seesAllOrders
  }: { first: FirstOrders | null; account: CustomerAccount | null; owes: boolean; seesAllOrders: boolean }
): Static<typeof MemberBody> {
  return {
    id: publicId('mem', view.id),
    platform_customer_id: view.platformCustomerId,
    email: view.email,
    name: [view.firstName, view.lastName].filter(Boolean).join(' ') || null,
    status: view.status,
    has_unpaid_cycle: owes,
    plan_id: view.planId === null ? null : publicId('plan', view.planId),
    plan_name: view.planName,
    tier: view.tier,
    loyalty_tier: view.loyaltyTier,
    loyalty_points: view.loyaltyPoints,
    store_credit_balance: numberOf(view.storeCreditMinor, view.currency),
    currency: view.currency,
    member_since: view.memberSince,
    next_billing_date: view.nextBillingAt,
    first_orders: first && {
      first: isoOf(first.firstAt),
      checkout_type: first.checkoutType,
      membership: isoOrNull(first.membershipAt),
      membership_renewal: isoOrNull(first.membershipRenewalAt),
      product: isoOrNull(first.productAt),
      product_renewal: isoOrNull(first.productRenewalAt),
      may_be_later: !seesAllOrders
    },
    email_consent: consentOf(account?.emailConsent, account?.emailConsentAt),
    sms_consent: consentOf(account?.smsConsent, account?.smsConsentAt),
    account_state: account?.accountState ?? null,
    created_at: view.createdAt
  }
}

const consentOf = (state: string | null | undefined, at: Temporal.Instant | null | undefined) =>
  state ? { state, changed_at: isoOrNull(at ?? null) } : null
