import { type TProperties, type TSchema, Type } from 'typebox'
import { BillingAttemptBody } from '../rest/present-billing-attempt.ts'
import { CustomerBody, MemberBody } from '../rest/present-member.ts'
import { SubscriptionBody } from '../rest/present-subscription.ts'
import { OrNull, Timestamp } from '../shared/answer-fields.ts'

// The parts that payloads of events are made of.

/** The customer of an event that is about something else. */
export const Person = Type.Object(
  { id: CustomerBody.properties.id, email: CustomerBody.properties.email },
  { title: 'Person', description: 'Whom it is about.', examples: [{ id: 'cust_24', email: 'hanna.ito@example.com' }] }
)

/** A field that may have changed, before and after. */
const change = (field: TSchema & { description?: string }) =>
  Type.Optional(
    Type.Object(
      {
        from: { ...field, description: 'What it was' } as TSchema,
        to: { ...field, description: 'What it is' } as TSchema
      },
      { description: field.description }
    )
  )

const changes = (fields: TProperties) =>
  Type.Object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)])), {
    description: 'Each changed field, before and after; the others are left out'
  })

const { subscription_id, shopify_subscription_id, customer, plan, status, next_billing_date } =
  SubscriptionBody.properties
export const subscription = {
  subscription_id,
  shopify_subscription_id,
  customer,
  plan,
  status,
  created_at: SubscriptionBody.properties.created_at,
  next_billing_date
}
export const subscriptionChanges = changes({
  status,
  plan_id: SubscriptionBody.properties.plan_id,
  plan_name: plan.properties.name,
  price: plan.properties.price,
  billing_frequency: plan.properties.billing_frequency,
  next_billing_date,
  receiver: OrNull(
    Type.String({ description: 'The customer who holds it as a gift, `cust_31`; null where it is no gift' })
  )
})
const { amount, currency } = BillingAttemptBody.properties
export const charge = {
  billing_attempt_id: BillingAttemptBody.properties.id,
  subscription_id: BillingAttemptBody.properties.subscription_id,
  customer: Person,
  amount,
  currency
}
export const scheduled_at = Timestamp('When the attempt was scheduled')
export const retry_date = OrNull(Timestamp('When it is tried again; null when it is not'))

export const order = OrNull(
  Type.Object(
    {
      id: Type.String({ description: 'Our id, `ord_174`' }),
      shopify_id: Type.String({ description: "The order's global id on the platform" }),
      order_number: OrNull(Type.String({ description: 'As the customer sees it' })),
      total: Type.Number({ description: 'What the order cost, in its `currency`' }),
      currency: Type.String({ description: 'ISO 4217' })
    },
    { description: 'Null when the platform did not tell it along with the result' }
  )
)

export const member_id = Type.String({ description: 'The member id, `mem_24`' })
export const member = { member_id, ...MemberBody.properties }
export const memberChanges = changes({
  email: CustomerBody.properties.email,
  first_name: CustomerBody.properties.first_name,
  last_name: CustomerBody.properties.last_name,
  birth_date: MemberBody.properties.birth_date,
  plan_id: MemberBody.properties.plan_id,
  plan_name: MemberBody.properties.plan_name
})

export const points = Type.Object(
  {
    previous_balance: Type.Integer({ description: 'Before the change' }),
    new_balance: Type.Integer({ description: 'After it' }),
    change: Type.Integer({ description: 'By how much; negative when points were taken' })
  },
  { description: 'The balance of loyalty points' }
)

export const credit = {
  transaction_id: Type.String({ description: 'The entry of the ledger, `sct_8`' }),
  customer: Person,
  amount: Type.Number({ description: 'By how much, always positive; the type of the event tells the direction' }),
  currency: Type.String({ description: 'ISO 4217' }),
  previous_balance: Type.Number({ description: 'Before the change' }),
  new_balance: Type.Number({ description: 'After it' }),
  reason: Type.String({ description: 'Why, in words' }),
  order_id: OrNull(Type.String({ description: 'The order that it came from or was spent on' }))
}
