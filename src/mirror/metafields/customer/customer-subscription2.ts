import { defineMetafield } from '#platform'
import { subscriptionField } from './subscription-fields.ts'

/** The next membership of a customer, where there is one (spec 3, customer_subscription2). */
export const customerSubscription2 = defineMetafield({
  owner: 'customer',
  key: 'customer_subscription2',
  type: 'json',
  name: 'Second membership',
  help: 'The next membership of the customer. It does not exist where there is none.',
  field: subscriptionField
})
