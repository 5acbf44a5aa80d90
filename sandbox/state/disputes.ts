import { instant, int, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const DisputeRow = row({
  id: text,
  orderId: text,
  type: text,
  /** What it was at first. */
  initiatedAs: text,
  status: text,
  reason: text,
  networkReasonCode: nullable(text),
  amountMinor: int,
  currency: text,
  initiatedAt: instant,
  evidenceDueBy: nullable(instant),
  evidenceSentOn: nullable(instant),
  finalizedOn: nullable(instant)
})
export type Dispute = RowOf<typeof DisputeRow> & { __typename: 'ShopifyPaymentsDispute' }

const asDispute = (found: RowOf<typeof DisputeRow>): Dispute => ({ __typename: 'ShopifyPaymentsDispute', ...found })

export async function findDisputes(q: Queries, storeId: number, ids: string[]): Promise<Dispute[]> {
  const rows = await q.many(
    DisputeRow,
    sql`
    select id::text as id, order_id::text as order_id, type, coalesce(initiated_as, type) as initiated_as, status,
           reason, network_reason_code, amount_minor, currency, initiated_at, evidence_due_by, evidence_sent_on, finalized_on
      from sandbox.disputes where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asDispute)
}

export async function listDisputesOf(q: Queries, storeId: number, orderIds: string[]): Promise<Dispute[]> {
  const rows = await q.many(
    DisputeRow,
    sql`
    select id::text as id, order_id::text as order_id, type, coalesce(initiated_as, type) as initiated_as, status,
           reason, network_reason_code, amount_minor, currency, initiated_at, evidence_due_by, evidence_sent_on, finalized_on
      from sandbox.disputes where store_id = ${storeId} and order_id = any(${orderIds}::bigint[])`
  )
  return rows.map(asDispute)
}

/** Creates the order's dispute or updates the existing one. `created`: whether it is new. */
export async function saveDispute(
  q: Queries,
  storeId: number,
  to: {
    orderId: string
    type: string
    status: string
    amountMinor: number
    currency: string
    finalizedOn: Temporal.Instant | null
  },
  now: Temporal.Instant
): Promise<{ dispute: Dispute; created: boolean }> {
  const created = await q.run(sql`
    insert into sandbox.disputes (store_id, order_id, type, initiated_as, status, reason, network_reason_code, amount_minor, currency,
                                  initiated_at, evidence_due_by)
    values (${storeId}, ${to.orderId}, ${to.type}, ${to.type}, ${to.status}, 'FRAUDULENT', '4837', ${to.amountMinor},
            ${to.currency}, ${now}, ${now.add({ hours: 7 * 24 })})
    on conflict (store_id, order_id) do nothing`)
  await q.run(sql`
    update sandbox.disputes set initiated_as = coalesce(initiated_as, type), type = ${to.type}, status = ${to.status}, finalized_on = ${to.finalizedOn}
     where store_id = ${storeId} and order_id = ${to.orderId}`)
  const [dispute] = await listDisputesOf(q, storeId, [to.orderId])
  return { dispute: dispute!, created: created > 0 }
}
