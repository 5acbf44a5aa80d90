import { type Fact, record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { listPlans } from '#plans'
import type { PlatformOrder, PlatformTransaction } from '#platform'
import { recordDiscrepancies, settleContradictions, settleDisputes } from '../discrepancies.ts'
import { orderCreditPaid } from '../events/order-credit-paid.ts'
import { orderDisputeChanged } from '../events/order-dispute-changed.ts'
import { orderRefunded } from '../events/order-refunded.ts'
import type { ReportSource } from './merge-order.ts'
import { touchOrders } from './order-queries.ts'
import { findOrderReferences } from './order-references.ts'
import { type ReportedDispute, recordDisputes } from './record-disputes.ts'
import { type OrdersRecorded, storeOrders } from './record-orders.ts'
import { type ReportedRefund, recordRefunds } from './record-refunds.ts'
import { recordTransactions } from './record-transactions.ts'

/** What the platform reports about orders. */
export type OrderReports = {
  orders: PlatformOrder[]
  refunds: ReportedRefund[]
  transactions: PlatformTransaction[]
  disputes: ReportedDispute[]
}

/** What has to be read from the platform: the platform's ids of orders. */
export type ReportsRecorded = {
  /** How many orders were written, or something of them. */
  changed: number
  /** Orders of which something was reported, and that are not known here. What was reported is not recorded. */
  unknown: Set<string>
  /** Messages contradict each other. */
  contradictory: Set<string>
  /** The same of disputes, which are read by themselves. */
  contradictoryDisputes: ReportedDispute[]
  /** New orders of a plan's product, whose message has neither its selling plan nor its contract. */
  incomplete: Set<string>
}

/**
 * Records everything that was reported about orders, in any order and any number of times, in the transaction, with its facts. Whatever
 * is shown with an order moves its change time.
 */
export async function recordReports(ctx: Ctx, reports: OrderReports, source: ReportSource): Promise<ReportsRecorded> {
  const stored = await storeOrders(ctx, reports.orders, source)
  const known = reports.orders.filter(({ details }) => details)
  const refunds = [
    ...reports.refunds,
    ...known.flatMap(({ updatedAt, details }) => details!.refunds.map((refund) => ({ refund, revisionAt: updatedAt })))
  ]
  const transactions = [
    ...reports.transactions,
    ...known.flatMap(({ details }) => details!.transactions),
    ...refunds.flatMap(({ refund }) => refund.transactions)
  ]
  const named = [
    ...refunds.map(({ refund }) => refund.orderId),
    ...transactions.map(({ orderId }) => orderId),
    ...reports.disputes.map(({ dispute }) => dispute.orderId)
  ]
  const references: Awaited<ReturnType<typeof findOrderReferences>> =
    named.length > 0 ? await findOrderReferences(ctx, [...new Set(named)]) : new Map()
  const isKnown = (orderId: string) => references.has(orderId)
  const refunded = await recordRefunds(
    ctx,
    refunds.filter(({ refund }) => isKnown(refund.orderId)),
    references,
    source
  )
  const paid = await recordTransactions(
    ctx,
    transactions.filter(({ orderId }) => isKnown(orderId)),
    references,
    source
  )
  const disputed = await recordDisputes(
    ctx,
    reports.disputes.filter(({ dispute }) => isKnown(dispute.orderId)),
    references,
    source
  )
  const written = new Set(stored.written.map(({ order }) => order.id))
  const others = new Set([...refunded.changed.map(({ orderId }) => orderId), ...paid.changed, ...disputed.orders])
  const touched = [...others].filter((id) => !written.has(id))
  if (touched.length > 0) await touchOrders(ctx, touched)
  await recordDiscrepancies(ctx, [...refunded.discrepancies, ...paid.discrepancies, ...disputed.discrepancies])
  if (source === 'platform' && known.length > 0) {
    await settleContradictions(
      ctx,
      known.map(({ id }) => id)
    )
  }
  if (source === 'platform' && reports.disputes.length > 0) {
    await settleDisputes(
      ctx,
      reports.disputes.map(({ dispute }) => dispute.id)
    )
  }
  const paidAnew = new Set(paid.changed.filter((id) => !written.has(id)))
  await record(
    ctx,
    ...[...references.values()].filter(({ id }) => paidAnew.has(id)).map((order): Fact => orderCreditPaid(order)),
    ...refunded.changed.map((refund): Fact => orderRefunded(refund)),
    ...disputed.changed.map((dispute) => orderDisputeChanged(dispute))
  )
  return {
    changed: written.size + touched.length,
    unknown: new Set(named.filter((orderId) => !isKnown(orderId))),
    contradictory: new Set([...stored.contradictory, ...refunded.contradictory, ...paid.contradictory]),
    contradictoryDisputes: disputed.contradictory,
    incomplete: source === 'message' ? await findIncomplete(ctx, stored) : new Set()
  }
}

/** Only new orders: later revisions keep what was read once. */
async function findIncomplete(ctx: Ctx, { written }: OrdersRecorded): Promise<Set<string>> {
  const added = written.filter(({ isNew, order }) => isNew && order.lines?.some(({ productId }) => productId !== null))
  if (added.length === 0) return new Set()
  const sold = new Set((await listPlans(ctx)).flatMap(({ productIds }) => productIds))
  const ofPlans = added.filter(({ order }) => order.lines!.some(({ productId }) => sold.has(productId!)))
  return new Set(ofPlans.map(({ order }) => order.platformOrderId))
}
