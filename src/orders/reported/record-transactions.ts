import { amountOf } from '#kit/money'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { isCreditGateway, type PlatformTransaction } from '#platform'
import type { Discrepancy } from '../discrepancies.ts'
import type { ReportSource } from './merge-order.ts'
import type { OrderReference } from './order-references.ts'

/** A transaction in one of these has not ended. */
const OPEN = new Set(['pending', 'awaiting_response', 'unknown'])

const KnownTransaction = row({
  id: int,
  platformTransactionId: text,
  orderId: int,
  kind: text,
  status: text,
  amountMinor: int
})

/** `changed`: our ids of orders of which something is shown that changed. */
export type TransactionsRecorded = { changed: number[]; contradictory: string[]; discrepancies: Discrepancy[] }

/**
 * Stores transactions of known orders. Only the status of one changes, and once it has ended only a read of the platform changes it; a
 * report with another amount, kind or order is left out. A repetition writes nothing.
 */
export async function recordTransactions(
  ctx: Ctx,
  reported: PlatformTransaction[],
  orders: Map<string, OrderReference>,
  source: ReportSource
): Promise<TransactionsRecorded> {
  const done: TransactionsRecorded = { changed: [], contradictory: [], discrepancies: [] }
  const each = furthestOfEach(reported)
  if (each.length === 0) return done
  const known = await findTransactions(ctx, each)
  const added: PlatformTransaction[] = []
  const updated: { id: number; status: string }[] = []
  const orderOf = (one: PlatformTransaction) => orders.get(one.orderId)!.id
  const isShown = ({ gateway }: PlatformTransaction) => gateway !== null && isCreditGateway(gateway)
  for (const one of each) {
    const before = known.get(one.id)
    if (!before) added.push(one)
    else if (before.orderId !== orderOf(one) || before.kind !== one.kind || before.amountMinor !== one.amountMinor) {
      done.discrepancies.push(changedTransaction(one, before, orders.get(one.orderId)!.currency))
    } else if (before.status !== one.status) {
      if (source === 'platform' || OPEN.has(before.status)) {
        updated.push({ id: before.id, status: one.status })
        if (isShown(one)) done.changed.push(orderOf(one))
      } else if (!OPEN.has(one.status)) {
        // One that is behind says nothing.
        done.contradictory.push(one.orderId)
      }
    }
  }
  if (added.length > 0) await insertTransactions(ctx, added, orders)
  if (updated.length > 0) await updateTransactions(ctx, updated)
  done.changed.push(...added.filter(isShown).map(orderOf))
  return done
}

/** The last report of each; one that has ended before one that has not. */
function furthestOfEach(reported: PlatformTransaction[]): PlatformTransaction[] {
  const furthest = new Map<string, PlatformTransaction>()
  for (const one of reported) {
    const other = furthest.get(one.id)
    if (!other || OPEN.has(other.status) || !OPEN.has(one.status)) furthest.set(one.id, one)
  }
  return [...furthest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

async function findTransactions(ctx: Ctx, reported: PlatformTransaction[]) {
  const rows = await ctx.tx.many(
    KnownTransaction,
    sql`
    select id, platform_transaction_id, order_id, kind, status, amount_minor from order_transactions
     where store_id = ${ctx.storeId} and platform_transaction_id = any(${reported.map(({ id }) => id)}::text[])`
  )
  return new Map(rows.map((one) => [one.platformTransactionId, one]))
}

async function insertTransactions(
  ctx: Ctx,
  added: PlatformTransaction[],
  orders: Map<string, OrderReference>
): Promise<void> {
  await ctx.tx.run(sql`
    insert into order_transactions (store_id, platform_transaction_id, order_id, kind, status, gateway, amount_minor,
      platform_parent_id, gift_card_id, processed_at, created_at, updated_at)
    select ${ctx.storeId}, t.id, t.order_id, t.kind, t.status, t.gateway, t.amount, t.parent_id, t.card_id, t.processed_at, ${ctx.now}, ${ctx.now}
      from unnest(${added.map((t) => t.id)}::text[], ${added.map((t) => orders.get(t.orderId)!.id)}::bigint[],
                  ${added.map((t) => t.kind)}::text[], ${added.map((t) => t.status)}::text[],
                  ${added.map((t) => t.gateway)}::text[], ${added.map((t) => t.amountMinor)}::bigint[],
                  ${added.map((t) => t.parentId)}::text[], ${added.map((t) => t.giftCardId)}::text[], ${added.map((t) => t.processedAt)}::timestamptz[])
             as t(id, order_id, kind, status, gateway, amount, parent_id, card_id, processed_at)
     order by t.id
    on conflict (store_id, platform_transaction_id) do nothing`)
}

async function updateTransactions(ctx: Ctx, updated: { id: number; status: string }[]): Promise<void> {
  await ctx.tx.run(sql`
    update order_transactions o set status = t.status, updated_at = ${ctx.now}
      from unnest(${updated.map(({ id }) => id)}::bigint[], ${updated.map(({ status }) => status)}::text[]) as t(id, status)
     where o.store_id = ${ctx.storeId} and o.id = t.id`)
}

const changedTransaction = (
  one: PlatformTransaction,
  before: { kind: string; amountMinor: number },
  currency: string
): Discrepancy => ({
  platformOrderId: one.orderId,
  kind: 'changed_transaction',
  subject: `transaction ${one.id}`,
  message:
    `was a ${before.kind} of ${amountOf(before.amountMinor, currency)}, and was reported as a ${one.kind} of ` +
    `${amountOf(one.amountMinor, currency)} of order ${one.orderId}: that is left out`
})
