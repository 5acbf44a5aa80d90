import { globalId, meaning, objectOf } from '#kit/json-fields'
import { defineMetafield } from '#platform'
import { person } from './subscription-fields.ts'

/** Who has given the customer the membership (spec 3, customer_subscription1_parent). */
export const subscriptionParent = defineMetafield({
  owner: 'customer',
  key: 'customer_subscription1_parent',
  type: 'json',
  name: 'Giver of the membership',
  help: 'Who pays for the membership of the customer. It exists only where it was a gift.',
  field: objectOf({
    subscription_id: meaning('Global id of the contract', globalId('SubscriptionContract')),
    customer: meaning('Who pays', person)
  })
})
