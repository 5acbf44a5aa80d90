import { Type } from 'typebox'
import { ContractOfferBody } from './contract-offer.ts'
import { CustomerBody } from './customer.ts'
import { exampleOf } from './example-of.ts'
import { Amount, OrNull, Timestamp } from './fields.ts'

const Interval = (description: string) =>
  Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')], { description })

export const PendingChangeBody = Type.Object(
  {
    plan_id: OrNull(Type.String({ description: 'The new plan' })),
    price: OrNull(Amount('The new price of a cycle')),
    interval: OrNull(Interval('The new interval; a cycle lasts `interval_count` intervals')),
    interval_count: OrNull(Type.Integer({ description: 'The new number of intervals in a cycle' })),
    payment_method_id: OrNull(Type.String({ description: "The payment method's global id on the platform" })),
    requested_at: Timestamp('When the change was requested')
  },
  {
    description: "A requested change that the platform's contract does not have yet; fields that stay the same are null"
  }
)

export const GiftBody = Type.Object(
  {
    giver: CustomerBody,
    receiver: CustomerBody,
    given_at: Timestamp('When the current receiver received it')
  },
  {
    description:
      'Set for a gifted membership: `giver`, who is also `customer`, pays for it, and `receiver` is the member'
  }
)

export const SubscriptionBody = Type.Object(
  {
    id: Type.String({ description: 'The subscription id, `sub_24`' }),
    subscription_id: Type.String({ description: 'The same id: resources have `id`, events `subscription_id`' }),
    shopify_subscription_id: Type.String({ description: "The contract's global id on the platform" }),
    customer_id: Type.String({ description: "The customer's id, as in `customer`" }),
    customer: CustomerBody,
    plan_id: OrNull(Type.String({ description: 'Null for a contract whose plan was not created in this service' })),
    plan: Type.Object(
      {
        id: OrNull(Type.String({ description: 'Same as `plan_id`' })),
        name: Type.String({ description: "The plan's name, or the title of the contract's first line" }),
        price: Amount('Price of a cycle of this subscription'),
        currency: Type.String({ description: 'ISO 4217' }),
        billing_frequency: Type.String({
          description: '`daily`, `weekly`, `monthly` or `yearly`; for several intervals `every_3_months` and similar'
        })
      },
      { description: 'The plan of the subscription' }
    ),
    status: Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')], {
      description: 'A subscription that failed or expired is `cancelled` here'
    }),
    price: Amount('Price of a cycle, in `currency`'),
    currency: Type.String({ description: 'ISO 4217' }),
    interval: Interval('A cycle lasts `interval_count` of these'),
    interval_count: Type.Integer({ description: 'Number of intervals in a cycle' }),
    cycle_index: Type.Integer({ description: 'The last paid cycle; 0 during a trial' }),
    max_cycles: OrNull(
      Type.Integer({ description: 'Number of paid cycles after which the subscription expires; null for no limit' })
    ),
    trial_ends_at: OrNull(
      Timestamp(
        'When the trial ends or ended; the first charge is due then, or later if the platform or a pause has put it off'
      )
    ),
    next_billing_date: OrNull(
      Timestamp(
        'The next charge or scheduled retry; null unless active, and while a charge waits for a new payment method'
      )
    ),
    paused_at: OrNull(Timestamp('When the pause began')),
    resumes_at: OrNull(Timestamp('When it resumes automatically; null for a pause without an end')),
    cancelled_at: OrNull(Timestamp('When it was cancelled, failed or expired')),
    cancel_reason: OrNull(
      Type.String({
        description:
          'The reason that was given, or `payment_failed`, `insufficient_inventory`, `platform` (cancelled there), `customer_deleted` or `expired`'
      })
    ),
    reactivatable_until: OrNull(
      Timestamp('Until when the cancellation can be revoked; null when there is none that can be revoked')
    ),
    pending_change: OrNull(PendingChangeBody),
    gift: OrNull(GiftBody),
    offer: OrNull(ContractOfferBody),
    created_at: Timestamp('When the contract began'),
    updated_at: Timestamp('When any of these fields last changed')
  },
  {
    additionalProperties: false,
    title: 'Subscription',
    description: "A customer's agreement to be billed on a schedule, and its contract on the platform.",
    examples: [
      {
        id: 'sub_24',
        subscription_id: 'sub_24',
        shopify_subscription_id: 'gid://platform/SubscriptionContract/9264106591',
        customer_id: 'cust_24',
        customer: exampleOf(CustomerBody),
        plan_id: 'plan_1',
        plan: { id: 'plan_1', name: 'VIP', price: 29, currency: 'USD', billing_frequency: 'monthly' },
        status: 'active',
        price: 29,
        currency: 'USD',
        interval: 'month',
        interval_count: 1,
        cycle_index: 3,
        max_cycles: null,
        trial_ends_at: null,
        next_billing_date: '2026-12-15T06:25:00.000Z',
        paused_at: null,
        resumes_at: null,
        cancelled_at: null,
        cancel_reason: null,
        reactivatable_until: null,
        pending_change: null,
        gift: null,
        offer: null,
        created_at: '2026-09-15T05:25:00.000Z',
        updated_at: '2026-11-15T06:25:00.000Z'
      }
    ]
  }
)
