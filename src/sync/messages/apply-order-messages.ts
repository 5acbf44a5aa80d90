import { applyReportedTags } from '#mirror'
import { type OrderReports, recordDiscrepancies, recordReports } from '#orders'
import {
  type InboundMessage,
  type PlatformDispute,
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
 * is read from the platform only where a message comes before the order that it is about, where messages contradict each other (a
 * dispute too), and where a new order may be that of a plan, which its message does not say.
 */
export async function applyOrderMessages(
  { db, connectorOf }: SyncDeps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const { reports, unsaid } = reportsIn(messages)
  const { unknown, contradictory, contradictoryDisputes, incomplete } = await db.inStore(storeId, async (ctx) => {
    const recorded = await recordReports(ctx, reports, 'message')
    const tagged = reports.orders.map(({ id, tags }) => ({ platformId: id, tags }))
    await applyReportedTags(ctx, 'order', tagged)
    await applyReportedPayments(ctx, reports.transactions)
    return recorded
  })
  if (contradictoryDisputes.length > 0) await readDisputes({ db, connectorOf }, storeId, contradictoryDisputes)
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

/** Has the platform decide what messages of the same time report differently. Where it does not show a dispute, doctor names it. */
async function readDisputes(
  { db, connectorOf }: Pick<SyncDeps, 'db' | 'connectorOf'>,
  storeId: number,
  disputes: OrderReports['disputes']
): Promise<void> {
  const readAt = await db.inStore(storeId, async (ctx) => ctx.now)
  // Also where the platform's clock is ahead of ours.
  const latest = disputes.reduce(
    (at, { reportedAt }) => (Temporal.Instant.compare(reportedAt, at) > 0 ? reportedAt : at),
    readAt
  )
  const ids = [...new Set(disputes.map(({ dispute }) => dispute.id))]
  const found = await (await connectorOf(storeId)).orders.findDisputes(ids)
  const isHidden = !found.ok && found.failure.code === 'access_denied'
  const read: Map<string, PlatformDispute> = isHidden ? new Map() : unwrap(found)
  await db.inStore(storeId, async (ctx) => {
    const reported = [...read.values()].map((dispute) => ({ dispute, reportedAt: latest }))
    await recordReports(ctx, { orders: [], refunds: [], transactions: [], disputes: reported }, 'platform')
    await recordDiscrepancies(
      ctx,
      disputes
        .filter(({ dispute }) => !read.has(dispute.id))
        .map(({ dispute }) => ({
          platformOrderId: dispute.orderId,
          kind: 'contradictory_messages' as const,
          subject: `dispute ${dispute.id}`,
          message:
            'was reported differently by messages of the same time, and the platform does not show it: the one that ends it counts'
        }))
    )
  })
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
