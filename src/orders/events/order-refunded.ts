import { isoOf } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import { aboutOrder } from './about-order.ts'

/** A refund as it is now. `orderTotalMinor`: of what its amount is a part. */
export type RefundSnapshot = {
  id: number
  platformRefundId: string
  orderId: number
  memberId: number | null
  platformOrderId: string
  currency: string
  orderTotalMinor: number
  amountMinor: number
  refundedAt: Temporal.Instant
}

/** A refund of the platform is new here, or more of it was paid back: `amount_minor` is all of it, never a difference. */
export const orderRefunded = defineFact('order.refunded', (refund: RefundSnapshot) => {
  const { orderingKey, refs } = aboutOrder({ id: refund.orderId, memberId: refund.memberId })
  return {
    orderingKey,
    refs: { ...refs, refundId: refund.id },
    data: {
      platform_refund_id: refund.platformRefundId,
      platform_order_id: refund.platformOrderId,
      currency: refund.currency,
      amount_minor: refund.amountMinor,
      order_total_minor: refund.orderTotalMinor,
      refunded_at: isoOf(refund.refundedAt)
    }
  }
})
