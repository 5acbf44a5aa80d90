import { listOf } from '#kit/json-fields'
import { defineMetafield } from '#platform'
import { gift } from './subscription-fields.ts'

/** The memberships that a customer has given to others (spec 3, customer_subscription1_gifts). */
export const subscriptionGifts = defineMetafield({
  owner: 'customer',
  key: 'customer_subscription1_gifts',
  type: 'json',
  name: 'Memberships given to others',
  help: 'Memberships that the customer pays for others, active and paused ones: all of them. It does not exist where there is none.',
  field: listOf(gift)
})
