import { defineFact } from '#kit/outbox'
import { customerKey } from '#members'

/** When a customer ordered first, or what kind of checkout that was, is another than before: all of their orders show it. */
export const firstOrdersChanged = defineFact('customer.first_orders_changed', (memberId: number) => ({
  orderingKey: customerKey(memberId),
  refs: { memberId },
  data: {}
}))
