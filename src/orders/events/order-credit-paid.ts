import { defineFact } from '#kit/outbox'
import { aboutOrder } from './about-order.ts'

/** What credit has paid of an order, or what went back there, is another than before; the order itself may be as it was. */
export const orderCreditPaid = defineFact(
  'order.credit_paid',
  (order: { id: number; memberId: number | null; platformOrderId: string }) => ({
    ...aboutOrder(order),
    data: { platform_order_id: order.platformOrderId }
  })
)
