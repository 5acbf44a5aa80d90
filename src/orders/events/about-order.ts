import type { OrderingKey } from '#kit/outbox'
import { customerKey } from '#members'

/** What a fact of an order is about. Its key is the customer; an order of nobody has one of its own. */
export function aboutOrder({ id, memberId }: { id: number; memberId: number | null }): {
  orderingKey: OrderingKey
  refs: Record<string, number>
} {
  if (memberId === null) return { orderingKey: `order:${id}`, refs: { orderId: id } }
  return { orderingKey: customerKey(memberId), refs: { orderId: id, memberId } }
}
