import { Type } from 'typebox'
import { CustomerBody } from './customer.ts'
import { exampleOf } from './example-of.ts'
import { Amount, OrNull, Timestamp } from './fields.ts'

export const MemberBody = Type.Object(
  {
    id: Type.String({ description: 'The member id, `mem_24`' }),
    customer: CustomerBody,
    status: Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')], {
      description: '`active` if any subscription is active, else `paused` if any is paused, else `cancelled`'
    }),
    plan_id: OrNull(
      Type.String({ description: 'The plan of the membership; after the membership has ended, its last plan' })
    ),
    plan_name: OrNull(Type.String({ description: 'The name of the plan' })),
    tier: OrNull(
      Type.String({ description: 'The tier that the plan grants; null after the last membership has ended' })
    ),
    loyalty_tier: OrNull(
      Type.String({ description: 'The name of the tier of loyalty, whatever the membership; null for none' })
    ),
    loyalty_points: Type.Integer({ description: 'The balance of loyalty points' }),
    store_credit_balance: Amount('The balance of store credit, in `currency`'),
    currency: Type.String({ description: "The store's currency, ISO 4217" }),
    birth_date: OrNull(Type.String({ format: 'date', description: 'Date of birth' })),
    member_since: Timestamp('When the first membership began'),
    next_billing_date: OrNull(Timestamp('The earliest next billing date among their subscriptions')),
    created_at: Timestamp('When the service first recorded the customer, in store time'),
    updated_at: Timestamp('When any of these fields last changed')
  },
  {
    additionalProperties: false,
    title: 'Member',
    description: 'A customer who holds or held a membership or a subscription.',
    examples: [
      {
        id: 'mem_24',
        customer: exampleOf(CustomerBody),
        status: 'active',
        plan_id: 'plan_1',
        plan_name: 'VIP',
        tier: 'VIP',
        loyalty_tier: 'Gold',
        loyalty_points: 120,
        store_credit_balance: 15,
        currency: 'USD',
        birth_date: '1990-04-17',
        member_since: '2026-09-15T05:25:00.000Z',
        next_billing_date: '2026-12-15T06:25:00.000Z',
        created_at: '2026-09-15T05:25:00.000Z',
        updated_at: '2026-11-15T06:25:00.000Z'
      }
    ]
  }
)
