import { defineFact } from '#kit/outbox'
import { customerKey } from '#members'

/**
 * The history of a customer's store credit looks different although no credit moved: an entry of no amount was written, or entries were hidden
 * by what became known of their order.
 */
export const historyChanged = defineFact('store_credit.history_changed', ({ memberId }: { memberId: number }) => ({
  orderingKey: customerKey(memberId),
  data: {},
  refs: { memberId }
}))
