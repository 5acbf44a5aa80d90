import { isoOf, isoOrNull } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import { aboutOrder } from './about-order.ts'

/** A dispute as it is now. */
export type DisputeSnapshot = {
  id: number
  platformDisputeId: string
  orderId: number
  memberId: number | null
  platformOrderId: string
  currency: string
  orderTotalMinor: number
  beganAs: string
  type: string
  status: string
  amountMinor: number | null
  initiatedAt: Temporal.Instant
  finalizedAt: Temporal.Instant | null
}

/** A dispute is new here, or its type or status changed. */
export const orderDisputeChanged = defineFact('order.dispute_changed', (dispute: DisputeSnapshot) => {
  const { orderingKey, refs } = aboutOrder({ id: dispute.orderId, memberId: dispute.memberId })
  return {
    orderingKey,
    refs: { ...refs, disputeId: dispute.id },
    data: {
      platform_dispute_id: dispute.platformDisputeId,
      platform_order_id: dispute.platformOrderId,
      currency: dispute.currency,
      order_total_minor: dispute.orderTotalMinor,
      began_as: dispute.beganAs,
      type: dispute.type,
      status: dispute.status,
      amount_minor: dispute.amountMinor,
      initiated_at: isoOf(dispute.initiatedAt),
      finalized_at: isoOrNull(dispute.finalizedAt)
    }
  }
})
