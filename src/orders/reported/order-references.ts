import { type Ctx, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const OrderReference = row({ id: int, platformOrderId: text, memberId: nullable(int), currency: text, totalMinor: int })
/** What refunds, transactions and disputes need of their order. */
export type OrderReference = RowOf<typeof OrderReference>

/** By the platform's order id; unknown orders are left out. */
export async function findOrderReferences(ctx: Ctx, platformIds: string[]): Promise<Map<string, OrderReference>> {
  const rows = await ctx.tx.many(
    OrderReference,
    sql`
    select id, platform_order_id, member_id, currency, total_minor from orders
     where store_id = ${ctx.storeId} and platform_order_id = any(${platformIds}::text[])`
  )
  return new Map(rows.map((order) => [order.platformOrderId, order]))
}
