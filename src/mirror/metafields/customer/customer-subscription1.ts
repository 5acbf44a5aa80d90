import { defineMetafield } from '#platform'
import { subscriptionField } from './subscription-fields.ts'

/** The membership that decides whether a customer is a member (spec 3, customer_subscription1). */
export const customerSubscription1 = defineMetafield({
  owner: 'customer',
  key: 'customer_subscription1',
  type: 'json',
  name: 'Membership',
  help: 'The membership that decides the status of the member, VIP before Elite. One that has ended stays until a live one takes its place.',
  field: subscriptionField
})
