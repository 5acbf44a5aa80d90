import { Type } from 'typebox'
import { CustomerBody } from './customer.ts'
import { exampleOf } from './example-of.ts'
import { OrNull, Timestamp } from './fields.ts'

const Interval = (description: string) =>
  Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')], { description })

export const PendingChangeBody = Type.Object(
  {
    plan_id: OrNull(Type.String({ description: 'The plan that it will be of' })),
    price: OrNull(Type.Number({ description: 'What a cycle will cost' })),
    interval: OrNull(Interval('What a cycle will last, times `interval_count`')),
    interval_count: OrNull(Type.Integer({ description: 'How many intervals a cycle will last' })),
    payment_method_id: OrNull(Type.String({ description: "The payment method's global id on the platform" })),
    requested_at: Timestamp('When it was asked for')
  },
  { description: "A change that was asked for and is not in the platform's contract yet; null for what stays" }
)

export const GiftBody = Type.Object(
  {
    giver: CustomerBody,
    receiver: CustomerBody,
    given_at: Timestamp('When the present receiver got it')
  },
  {
    description:
      'Of a membership that was given away: `giver`, the `customer`, pays for it, and `receiver` is the member'
  }
)

export const SubscriptionBody = Type.Object(
  {
    id: Type.String({ description: 'The subscription id, `sub_24`' }),
    subscription_id: Type.String({ description: 'The same id: resources have `id`, events `subscription_id`' }),
    shopify_subscription_id: Type.String({ description: "The contract's global id on the platform" }),
    customer_id: Type.String({ description: "The customer's id, as in `customer`" }),
    customer: CustomerBody,
    plan_id: OrNull(Type.String({ description: 'Null for a contract whose plan the service did not make' })),
    plan: Type.Object(
      {
        id: OrNull(Type.String({ description: 'As `plan_id`' })),
        name: Type.String({ description: "The plan's name, or the title of the contract's first line" }),
        price: Type.Number({ description: 'What a cycle costs this subscription' }),
        currency: Type.String({ description: 'ISO 4217' }),
        billing_frequency: Type.String({
          description: '`daily`, `weekly`, `monthly`, `yearly`, or `every_3_months` and the like'
        })
      },
      { description: 'What was subscribed to' }
    ),
    status: Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')], {
      description: 'A subscription that failed or expired is `cancelled` here'
    }),
    price: Type.Number({ description: 'What a cycle costs, in `currency`' }),
    currency: Type.String({ description: 'ISO 4217' }),
    interval: Interval('The unit of a billing cycle; `interval_count` says how many'),
    interval_count: Type.Integer({ description: 'How many intervals a cycle lasts' }),
    cycle_index: Type.Integer({ description: 'The last cycle paid; 0 during a trial' }),
    max_cycles: OrNull(Type.Integer({ description: 'After how many cycles it expires; null for never' })),
    trial_ends_at: OrNull(Timestamp('When the trial ends or ended; the first charge is then')),
    next_billing_date: OrNull(
      Timestamp('The next charge, or the next retry while one is planned; null unless active, and while it waits')
    ),
    paused_at: OrNull(Timestamp('When the pause began')),
    resumes_at: OrNull(Timestamp('When it resumes by itself; null for a pause without an end')),
    cancelled_at: OrNull(Timestamp('When it ended, whichever way')),
    cancel_reason: OrNull(
      Type.String({
        description:
          'The reason that was given, `payment_failed`, `insufficient_inventory`, `expired`, `platform` (ended there), or `customer_deleted`'
      })
    ),
    reactivatable_until: OrNull(
      Timestamp('Until when a cancellation can be taken back; null when it cannot, or there is none')
    ),
    pending_change: OrNull(PendingChangeBody),
    gift: OrNull(GiftBody),
    offer: Type.Null({ description: 'Always null today' }),
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
