import { type Ctx, instant, int, row, sql, text } from '#kit/postgres'
import type { PlatformRefund } from '#platform'
import type { Discrepancy } from '../discrepancies.ts'
import type { RefundSnapshot } from '../events/order-refunded.ts'
import type { ReportSource } from './merge-order.ts'
import type { OrderReference } from './order-references.ts'

/** A refund, and as of when (platform time) it is reported. */
export type ReportedRefund = { refund: PlatformRefund; revisionAt: Temporal.Instant }

const KnownRefund = row({
  id: int,
  platformRefundId: text,
  orderId: int,
  amountMinor: int,
  refundedAt: instant,
  revisionAt: instant
})

/** What was written, and what contradicts what is known. */
export type RefundsRecorded = { changed: RefundSnapshot[]; contradictory: string[]; discrepancies: Discrepancy[] }

/**
 * Stores refunds of known orders. The order of a refund never changes, and its amount only when more of it is paid back; two reports of
 * one time with different amounts contradict each other. A repetition writes nothing.
 */
export async function recordRefunds(
  ctx: Ctx,
  reported: ReportedRefund[],
  orders: Map<string, OrderReference>,
  source: ReportSource
): Promise<RefundsRecorded> {
  const done: RefundsRecorded = { changed: [], contradictory: [], discrepancies: [] }
  const newest = newestOfEach(reported)
  if (newest.length === 0) return done
  const known = await findRefunds(ctx, newest)
  const added: ReportedRefund[] = []
  const updated: (ReportedRefund & { id: number })[] = []
  for (const one of newest) {
    const { refund, revisionAt } = one
    const order = orders.get(refund.orderId)!
    const before = known.get(refund.id)
    if (!before) added.push(one)
    else if (before.orderId !== order.id) done.discrepancies.push(movedRefund(refund))
    else if (before.amountMinor !== refund.amountMinor) {
      const age = Temporal.Instant.compare(revisionAt, before.revisionAt)
      if (age > 0 || (age === 0 && source === 'platform')) updated.push({ ...one, id: before.id })
      else if (age === 0) done.contradictory.push(refund.orderId)
    }
  }
  const ids = added.length > 0 ? await insertRefunds(ctx, added, orders) : new Map<string, number>()
  if (updated.length > 0) await updateRefunds(ctx, updated)
  for (const { refund } of [...added, ...updated]) {
    const id = ids.get(refund.id) ?? known.get(refund.id)?.id
    if (id !== undefined) done.changed.push(snapshotOf(id, refund, orders.get(refund.orderId)!))
  }
  return done
}

function newestOfEach(reported: ReportedRefund[]): ReportedRefund[] {
  const newest = new Map<string, ReportedRefund>()
  for (const one of reported) {
    const other = newest.get(one.refund.id)
    if (!other || Temporal.Instant.compare(one.revisionAt, other.revisionAt) >= 0) newest.set(one.refund.id, one)
  }
  return [...newest.values()].sort((a, b) => (a.refund.id < b.refund.id ? -1 : 1))
}

async function findRefunds(ctx: Ctx, reported: ReportedRefund[]) {
  const rows = await ctx.tx.many(
    KnownRefund,
    sql`
    select id, platform_refund_id, order_id, amount_minor, refunded_at, revision_at from platform_refunds
     where store_id = ${ctx.storeId} and platform_refund_id = any(${reported.map(({ refund }) => refund.id)}::text[])`
  )
  return new Map(rows.map((refund) => [refund.platformRefundId, refund]))
}

async function insertRefunds(ctx: Ctx, added: ReportedRefund[], orders: Map<string, OrderReference>) {
  const rows = await ctx.tx.many(
    row({ id: int, platformRefundId: text }),
    sql`
    insert into platform_refunds (store_id, platform_refund_id, order_id, amount_minor, refunded_at, revision_at, created_at,
      updated_at)
    select ${ctx.storeId}, t.id, t.order_id, t.amount, t.refunded_at, t.revision_at, ${ctx.now}, ${ctx.now}
      from unnest(${added.map(({ refund }) => refund.id)}::text[],
                  ${added.map(({ refund }) => orders.get(refund.orderId)!.id)}::bigint[],
                  ${added.map(({ refund }) => refund.amountMinor)}::bigint[],
                  ${added.map(({ refund }) => refund.refundedAt)}::timestamptz[],
                  ${added.map(({ revisionAt }) => revisionAt)}::timestamptz[])
             as t(id, order_id, amount, refunded_at, revision_at)
     order by t.id
    on conflict (store_id, platform_refund_id) do nothing
    returning id, platform_refund_id`
  )
  return new Map(rows.map(({ platformRefundId, id }) => [platformRefundId, id]))
}

async function updateRefunds(ctx: Ctx, updated: (ReportedRefund & { id: number })[]): Promise<void> {
  await ctx.tx.run(sql`
    update platform_refunds r
       set amount_minor = t.amount, refunded_at = t.refunded_at, revision_at = t.revision_at, updated_at = ${ctx.now}
      from unnest(${updated.map(({ id }) => id)}::bigint[], ${updated.map(({ refund }) => refund.amountMinor)}::bigint[],
                  ${updated.map(({ refund }) => refund.refundedAt)}::timestamptz[],
                  ${updated.map(({ revisionAt }) => revisionAt)}::timestamptz[])
             as t(id, amount, refunded_at, revision_at)
     where r.store_id = ${ctx.storeId} and r.id = t.id and r.revision_at <= t.revision_at`)
}

const snapshotOf = (id: number, refund: PlatformRefund, order: OrderReference): RefundSnapshot => ({
  id,
  platformRefundId: refund.id,
  orderId: order.id,
  memberId: order.memberId,
  platformOrderId: refund.orderId,
  currency: order.currency,
  orderTotalMinor: order.totalMinor,
  amountMinor: refund.amountMinor,
  refundedAt: refund.refundedAt
})

const movedRefund = (refund: PlatformRefund): Discrepancy => ({
  platformOrderId: refund.orderId,
  kind: 'moved_refund',
  subject: `refund ${refund.id}`,
  message: `was reported of another order, and then of order ${refund.orderId}: that is left out`
})
