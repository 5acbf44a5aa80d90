import { type Ctx, int, row, sql } from '#kit/postgres'

/** What is left of an order after refunds and disputes. */
export type KeptOrder = { orderId: number; memberId: number; keptMinor: number; at: Temporal.Instant }

/** Records what of orders counts for tiers, as it is now. What is so already is not written, nor an order of which nothing ever counted. */
export async function recordSpending(ctx: Ctx, orders: KeptOrder[]): Promise<void> {
  const rows = await ctx.tx.many(
    row({ orderId: int, memberId: int, keptMinor: int }),
    sql`
    select order_id, member_id, kept_minor from loyalty_spending
     where store_id = ${ctx.storeId} and order_id = any(${orders.map(({ orderId }) => orderId)}::bigint[])`
  )
  const before = new Map(rows.map((one) => [one.orderId, one]))
  const changed = orders.filter(({ orderId, memberId, keptMinor }) => {
    const was = before.get(orderId)
    return was ? was.keptMinor !== keptMinor || was.memberId !== memberId : keptMinor > 0
  })
  if (changed.length === 0) return
  await ctx.tx.run(sql`
    insert into loyalty_spending (store_id, order_id, member_id, kept_minor, spent_at)
    select ${ctx.storeId}, o.order_id, o.member_id, o.kept, o.at
      from unnest(${changed.map((o) => o.orderId)}::bigint[], ${changed.map((o) => o.memberId)}::bigint[],
                  ${changed.map((o) => o.keptMinor)}::bigint[], ${changed.map((o) => o.at)}::timestamptz[])
             as o(order_id, member_id, kept, at)
     order by o.order_id
    on conflict (store_id, order_id) do update
      set member_id = excluded.member_id, kept_minor = excluded.kept_minor, spent_at = excluded.spent_at`)
}
