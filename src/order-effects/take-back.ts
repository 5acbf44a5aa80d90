import { type ReversedOrder, settleOrderCredit } from '#credits'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { afterEdits } from '#orders'
import { settleOrderPoints } from '#points'
import { type DisputeState, isCounted } from './disputes.ts'
import type { OrderState } from './read-orders.ts'

/**
 * What is refunded and disputed of an order in all. Of the disputes those that count (`isCounted`) and were not first seen while the
 * fraud protection was off. A dispute of which the amount is unknown or in another currency is about the whole order. What an edit has removed
 * is no part of the order.
 */
export function reversedOf(
  order: Pick<OrderState, 'totalMinor' | 'currency' | 'refunds' | 'disputes' | 'edits'>
): ReversedOrder {
  const { totalMinor, currency, edits } = order
  const refundedMinor = order.refunds.reduce((sum, { minor }) => sum + minor, 0)
  const claimed = (dispute: DisputeState) =>
    dispute.amountMinor === null || dispute.currency !== currency ? totalMinor : dispute.amountMinor
  return {
    wholeMinor: edits ? afterEdits({ totalMinor, ...edits }, refundedMinor).wholeMinor : totalMinor,
    refundedMinor,
    disputedMinor: order.disputes.filter(isFrozen).reduce((sum, dispute) => sum + claimed(dispute), 0)
  }
}

const isFrozen = (dispute: DisputeState) => isCounted(dispute) && dispute.isProtected !== false

/**
 * Takes back, or gives back, the credit and points that these orders have issued, so that they are what the refunds and disputes known now
 * leave: those of the order that was placed first come first. It compares with what was taken, so that messages in any order, twice, or corrected later
 * come to the same.
 */
export async function settleTakenBack(ctx: Ctx, orders: OrderState[]): Promise<void> {
  const reversed = orders
    .filter(({ refunds, disputes }) => refunds.length + disputes.length > 0)
    .toSorted((a, b) => Temporal.Instant.compare(a.processedAt, b.processedAt) || a.id - b.id)
    .map((order) => ({ orderId: order.id, ...reversedOf(order) }))
  if (reversed.length === 0) return
  const issuing = await listIssuing(
    ctx,
    reversed.map(({ orderId }) => orderId)
  )
  await settleOrderCredit(
    ctx,
    reversed.filter(({ orderId }) => issuing.has(orderId))
  )
  await settleOrderPoints(ctx, reversed)
}

/** Those of the orders that have issued credit: of many orders of plain customers none is locked. */
async function listIssuing(ctx: Ctx, orderIds: number[]): Promise<Set<number>> {
  const rows = await ctx.tx.many(
    row({ orderId: int }),
    sql`
    select distinct order_id from credit_entries
     where store_id = ${ctx.storeId} and order_id = any(${orderIds}::bigint[]) and type in (1, 10, 11) and amount_minor > 0`
  )
  return new Set(rows.map(({ orderId }) => orderId))
}
