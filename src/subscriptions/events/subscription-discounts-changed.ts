import { defineFact } from '#kit/outbox'
import type { Subscription } from '../subscription.ts'
import { about } from './subscription-event.ts'

/** The contract has other discounts for members or of grants: a cycle is charged another amount. The agreed price is the same, so no receiver is notified. */
export const subscriptionDiscountsChanged = defineFact('subscription.discounts_changed', (s: Subscription) => ({
  ...about(s),
  data: {}
}))
