import { applyReportedTags } from '#mirror'
import { type OrderReports, recordDiscrepancies, recordReports } from '#orders'
import {
  type InboundMessage,
  parseDisputePayload,
  parseOrderPayload,
  parseRefundPayload,
  parseTransactionPayload,
  unwrap
} from '#platform'
import { applyReportedPayments } from '#spending'
import type { SyncDeps } from '../deps.ts'

/**
 * Records what messages say about orders, their refunds, payments and disputes, in whatever order they come. They are complete; an order
 * is read from the platform only where a message comes before the order that it is about, where messages contradict each other, and
 * where a new order may be that of a plan, which its message does not say.
 */
export async function applyOrderMessages(
  { db, connectorOf }: SyncDeps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const { reports, unsaid } = reportsIn(messages)
  const { unknown, contradictory, incomplete } = await db.inStore(storeId, async (ctx) => {
    const recorded = await recordReports(ctx, reports, 'message')
    const tagged = reports.orders.map(({ id, tags }) => ({ platformId: id, tags }))
    await applyReportedTags(ctx, 'order', tagged)
    await applyReportedPayments(ctx, reports.transactions)
    return recorded
  })
  const wanted = unknown.union(contradictory).union(incomplete).union(unsaid)
  if (wanted.size === 0) return
  const read = unwrap(await (await connectorOf(storeId)).orders.findWhole([...wanted]))
  const missing = [...unknown.union(unsaid)].filter((id) => !read.has(id))
  await db.inStore(storeId, async (ctx) => {
    const others = { refunds: [], transactions: [], disputes: [] }
    await recordReports(ctx, { ...others, orders: [...read.values()] }, 'platform')
    if (unknown.size > 0) await recordReports(ctx, aboutOrders(reports, unknown), 'message')
    await recordDiscrepancies(
      ctx,
      [...contradictory]
        .filter((id) => !read.has(id))
        .map((id) => ({
          platformOrderId: id,
          kind: 'contradictory_messages' as const,
          subject: `order ${id}`,
          message:
            'was reported differently by messages of the same time, and the platform does not show it: the first one counts'
        }))
    )
  })
  // A message can come before its order is readable, so it is tried again.
  if (missing.length > 0) throw new Error(`The platform has no order ${missing.join(', ')}`)
}

/** `unsaid`: orders with a refund whose message does not say how much it was. */
function reportsIn(messages: InboundMessage[]): { reports: OrderReports; unsaid: Set<string> } {
  const unsaid = new Set<string>()
  const reports: OrderReports = { orders: [], refunds: [], transactions: [], disputes: [] }
  for (const { topic, payload, triggeredAt } of messages) {
    if (topic.startsWith('orders/')) reports.orders.push(parseOrderPayload(payload))
    else if (topic === 'refunds/create') {
      const { orderId, refund } = parseRefundPayload(payload)
      if (refund) reports.refunds.push({ refund, revisionAt: refund.refundedAt })
      else unsaid.add(orderId)
    } else if (topic === 'order_transactions/create') reports.transactions.push(parseTransactionPayload(payload))
    else {
      const dispute = parseDisputePayload(payload)
      if (dispute) reports.disputes.push({ dispute, reportedAt: triggeredAt })
    }
  }
  return { reports, unsaid }
}

/** What was reported about these orders besides the orders themselves. */
const aboutOrders = ({ refunds, transactions, disputes }: OrderReports, ids: Set<string>): OrderReports => ({
  orders: [],
  refunds: refunds.filter(({ refund }) => ids.has(refund.orderId)),
  transactions: transactions.filter(({ orderId }) => ids.has(orderId)),
  disputes: disputes.filter(({ dispute }) => ids.has(dispute.orderId))
})
