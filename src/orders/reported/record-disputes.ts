import { type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import type { PlatformDispute } from '#platform'
import type { Discrepancy } from '../discrepancies.ts'
import type { DisputeSnapshot } from '../events/order-dispute-changed.ts'
import type { ReportSource } from './merge-order.ts'
import type { OrderReference } from './order-references.ts'

/** A dispute, and when the platform reported it so. */
export type ReportedDispute = { dispute: PlatformDispute; reportedAt: Temporal.Instant }

const KnownDispute = row({
  id: int,
  platformDisputeId: text,
  orderId: int,
  beganAs: text,
  type: text,
  status: text,
  reason: nullable(text),
  networkReasonCode: nullable(text),
  amountMinor: nullable(int),
  currency: nullable(text),
  initiatedAt: instant,
  finalizedAt: nullable(instant),
  reportedAt: instant
})
type KnownDispute = RowOf<typeof KnownDispute>

type DisputeRow = Omit<KnownDispute, 'id'>

export type DisputesRecorded = {
  /** Those whose type or status is new; and our ids of all orders of which something shown changed. */
  changed: DisputeSnapshot[]
  orders: number[]
  /** Reported differently by messages of the same time: only the platform knows what is right. */
  contradictory: ReportedDispute[]
  discrepancies: Discrepancy[]
}

/**
 * Stores disputes of known orders. The newest report wins, by the time at which the platform sent it; of the same time, what was read
 * from the platform, then one that ends the dispute. An older report still tells what the dispute began as. A repetition writes nothing.
 */
export async function recordDisputes(
  ctx: Ctx,
  reported: ReportedDispute[],
  orders: Map<string, OrderReference>,
  source: ReportSource
): Promise<DisputesRecorded> {
  if (reported.length === 0) return { changed: [], orders: [], contradictory: [], discrepancies: [] }
  let { known, written, contradictory, discrepancies } = await mergeReported(ctx, reported, orders, source)
  if (written.length > 0) {
    // Somebody else may be about to write the same disputes: who has the lock sees what the other has written.
    await lockOrdersOf(ctx, written)
    ;({ known, written, contradictory, discrepancies } = await mergeReported(ctx, reported, orders, source))
  }
  const done: DisputesRecorded = { changed: [], orders: [], contradictory, discrepancies }
  if (written.length === 0) return done
  const ids = await writeDisputes(ctx, written)
  const orderOf = new Map([...orders.values()].map((order) => [order.id, order]))
  for (const row of written) {
    const order = orderOf.get(row.orderId)!
    const before = known.get(row.platformDisputeId)
    done.orders.push(order.id)
    if (before?.type === row.type && before.status === row.status && before.beganAs === row.beganAs) continue
    done.changed.push({
      ...row,
      id: ids.get(row.platformDisputeId)!,
      memberId: order.memberId,
      platformOrderId: order.platformOrderId,
      currency: row.currency ?? order.currency,
      orderTotalMinor: order.totalMinor
    })
  }
  return done
}

/** What is known, and the rows that differ from it after these reports, oldest first. */
async function mergeReported(
  ctx: Ctx,
  reported: ReportedDispute[],
  orders: Map<string, OrderReference>,
  source: ReportSource
) {
  const known = new Map((await findDisputes(ctx, reported)).map((one) => [one.platformDisputeId, one]))
  const merged = new Map<string, DisputeRow>(known)
  const contradictory: ReportedDispute[] = []
  const discrepancies: Discrepancy[] = []
  for (const one of [...reported].sort((a, b) => Temporal.Instant.compare(a.reportedAt, b.reportedAt))) {
    const before = merged.get(one.dispute.id)
    const order = orders.get(one.dispute.orderId)!
    if (before && before.orderId !== order.id) {
      discrepancies.push(movedDispute(one.dispute))
      continue
    }
    const now = asRow(one, order.id)
    if (source === 'message' && before && contradicts(before, now)) contradictory.push(one)
    merged.set(one.dispute.id, before ? mergeDispute(before, now, source) : now)
  }
  const written = [...merged.values()].filter((row) => differs(known.get(row.platformDisputeId), row))
  return { known, written, contradictory, discrepancies }
}

async function lockOrdersOf(ctx: Ctx, disputes: DisputeRow[]): Promise<void> {
  await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from orders where store_id = ${ctx.storeId} and id = any(${disputes.map(({ orderId }) => orderId)}::bigint[])
     order by id for no key update`
  )
}

function asRow({ dispute, reportedAt }: ReportedDispute, orderId: number): DisputeRow {
  const { id: platformDisputeId, orderId: _, ...shown } = dispute
  return { ...shown, platformDisputeId, orderId, beganAs: dispute.type, reportedAt }
}

function mergeDispute(before: DisputeRow, now: DisputeRow, source: ReportSource): DisputeRow {
  // An inquiry becomes a chargeback, and never the other way.
  const beganAs = before.beganAs === 'inquiry' || now.type === 'inquiry' ? 'inquiry' : before.beganAs
  const age = Temporal.Instant.compare(now.reportedAt, before.reportedAt)
  const isNewer = age > 0 || (age === 0 && (source === 'platform' || before.finalizedAt === null))
  // What is repeated later has not changed since.
  if (!isNewer || isRepeated(before, now)) return { ...before, beganAs }
  return { ...now, beganAs }
}

const isRepeated = (before: DisputeRow, now: DisputeRow): boolean =>
  !differs({ ...now, beganAs: '', reportedAt: before.reportedAt }, { ...before, beganAs: '' })

/** Of the same time, and neither the same nor the end of a dispute that was open. */
function contradicts(before: DisputeRow, now: DisputeRow): boolean {
  const isEnd = before.finalizedAt === null && now.finalizedAt !== null
  return now.reportedAt.equals(before.reportedAt) && !isEnd && !isRepeated(before, now)
}

const differs = (one: DisputeRow | undefined, other: DisputeRow): boolean =>
  one === undefined || JSON.stringify(shownOf(one)) !== JSON.stringify(shownOf(other))

const shownOf = (d: DisputeRow) => [
  d.orderId,
  d.beganAs,
  d.type,
  d.status,
  d.reason,
  d.networkReasonCode,
  d.amountMinor,
  d.currency,
  d.initiatedAt,
  d.finalizedAt,
  d.reportedAt
]

function findDisputes(ctx: Ctx, reported: ReportedDispute[]): Promise<KnownDispute[]> {
  return ctx.tx.many(
    KnownDispute,
    sql`
    select id, platform_dispute_id, order_id, began_as, type, status, reason, network_reason_code, amount_minor, currency,
           initiated_at, finalized_at, reported_at
      from order_disputes
     where store_id = ${ctx.storeId} and platform_dispute_id = any(${reported.map(({ dispute }) => dispute.id)}::text[])`
  )
}

async function writeDisputes(ctx: Ctx, disputes: DisputeRow[]): Promise<Map<string, number>> {
  const rows = await ctx.tx.many(
    row({ id: int, platformDisputeId: text }),
    sql`
    insert into order_disputes (store_id, platform_dispute_id, order_id, began_as, type, status, reason, network_reason_code,
      amount_minor, currency, initiated_at, finalized_at, reported_at, created_at, updated_at)
    select ${ctx.storeId}, t.id, t.order_id, t.began_as, t.type, t.status, t.reason, t.code, t.amount, t.currency, t.initiated_at,
           t.finalized_at, t.reported_at, ${ctx.now}, ${ctx.now}
      from unnest(${disputes.map((d) => d.platformDisputeId)}::text[], ${disputes.map((d) => d.orderId)}::bigint[],
                  ${disputes.map((d) => d.beganAs)}::text[], ${disputes.map((d) => d.type)}::text[],
                  ${disputes.map((d) => d.status)}::text[], ${disputes.map((d) => d.reason)}::text[],
                  ${disputes.map((d) => d.networkReasonCode)}::text[], ${disputes.map((d) => d.amountMinor)}::bigint[],
                  ${disputes.map((d) => d.currency)}::text[], ${disputes.map((d) => d.initiatedAt)}::timestamptz[],
                  ${disputes.map((d) => d.finalizedAt)}::timestamptz[], ${disputes.map((d) => d.reportedAt)}::timestamptz[])
             as t(id, order_id, began_as, type, status, reason, code, amount, currency, initiated_at, finalized_at, reported_at)
     order by t.id
    on conflict (store_id, platform_dispute_id) do update
       set began_as = excluded.began_as, type = excluded.type, status = excluded.status, reason = excluded.reason,
           network_reason_code = excluded.network_reason_code, amount_minor = excluded.amount_minor,
           currency = excluded.currency, initiated_at = excluded.initiated_at, finalized_at = excluded.finalized_at,
           reported_at = excluded.reported_at, updated_at = excluded.updated_at
    returning id, platform_dispute_id`
  )
  return new Map(rows.map(({ platformDisputeId, id }) => [platformDisputeId, id]))
}

const movedDispute = (dispute: PlatformDispute): Discrepancy => ({
  platformOrderId: dispute.orderId,
  kind: 'moved_dispute',
  subject: `dispute ${dispute.id}`,
  message: `was reported of another order, and then of order ${dispute.orderId}: that is left out`
})
