import { isoOf, isoOrNull } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import type { StoredOrder } from '../order.ts'
import { aboutOrder } from './about-order.ts'

/** An order is new here, or a newer revision of it was recorded. `formerMemberId`: whose it was before, if that is another. */
export const orderRecorded = defineFact(
  'order.recorded',
  (order: StoredOrder, { isNew, formerMemberId }: { isNew: boolean; formerMemberId: number | null }) => ({
    ...withFormer(aboutOrder(order), formerMemberId),
    data: {
      platform_order_id: order.platformOrderId,
      name: order.name,
      is_new: isNew,
      processed_at: isoOf(order.processedAt),
      cancelled_at: isoOrNull(order.cancelledAt),
      financial_status: order.financialStatus,
      currency: order.currency,
      total_minor: order.totalMinor,
      refunded_minor: order.refundedMinor,
      has_details: order.detailsAt !== null,
      lines: (order.lines ?? []).map((line) => ({
        product_id: line.productId,
        quantity: line.quantity,
        selling_plan_id: line.sellingPlanId,
        contract_id: line.contractId
      }))
    }
  })
)

const withFormer = ({ orderingKey, refs }: ReturnType<typeof aboutOrder>, formerMemberId: number | null) => ({
  orderingKey,
  refs: formerMemberId === null ? refs : { ...refs, formerMemberId }
})
