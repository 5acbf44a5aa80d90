import { type Ctx, int, type RowOf, row, sql, text } from '#kit/postgres'
import { FoundOrder, StoredOrder } from '../order.ts'

export const RecordedOrder = row({ id: int, platformOrderId: text, name: text, number: text })
export type RecordedOrder = RowOf<typeof RecordedOrder>

/** Without locks: a report of what is known already shall cost no write. */
export function findKnownOrders(ctx: Ctx, platformIds: string[]): Promise<FoundOrder[]> {
  return ctx.tx.many(
    FoundOrder,
    sql`
    select id, platform_order_id, member_id, name, number, email, currency, total_minor, tax_minor, discount_minor,
           refunded_minor, financial_status, gateway, country_code, province, tags, discount_codes, source_name, cancelled_at,
           processed_at, platform_updated_at, details_at, message_digest, read_digest,
           exists (select from members m
                    where m.store_id = ${ctx.storeId} and m.id = orders.member_id and m.erased_at is not null) as is_erased
      from orders where store_id = ${ctx.storeId} and platform_order_id = any(${platformIds}::text[])`
  )
}

/** Locked in order of id, so that two writers cannot deadlock. */
export function lockOrders(ctx: Ctx, platformIds: string[]): Promise<StoredOrder[]> {
  return ctx.tx.many(
    StoredOrder,
    sql`
    select id, platform_order_id, member_id, name, number, email, currency, total_minor, tax_minor, discount_minor,
           refunded_minor, financial_status, gateway, country_code, province, tags, discount_codes, source_name, cancelled_at,
           processed_at, platform_updated_at, details_at, message_digest, read_digest, customer_name, subtotal_minor,
           is_tax_included, current_total_minor, shipping_minor, shipping_discount_minor, app_id, channel, brand, coupons, automatic_discounts, attributes, lines
      from orders where store_id = ${ctx.storeId} and platform_order_id = any(${platformIds}::text[])
     order by id for no key update`
  )
}

/** The number of each customer's row, by the platform's; of one that was merged, that of the customer who was kept. */
export async function findMemberIds(ctx: Ctx, platformIds: string[]): Promise<Map<string, number>> {
  const rows = await ctx.tx.many(
    row({ platformId: text, id: int }),
    sql`
    select platform_customer_id as platform_id, coalesce(merged_into, id) as id
      from members where store_id = ${ctx.storeId} and platform_customer_id = any(${platformIds}::text[])`
  )
  return new Map(rows.map(({ platformId, id }) => [platformId, id]))
}

/** Moves the change time of orders of which something else has changed that is shown with them. */
export async function touchOrders(ctx: Ctx, ids: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update orders set updated_at = ${ctx.now} where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])`)
}
