import { type Ctx, int, type RowOf, row, sql, text } from '#kit/postgres'
import { insertMissingCustomers } from '#members'
import type { PlatformOrder } from '#platform'

const RecordedOrder = row({ id: int, platformOrderId: text, name: text, number: text })
export type RecordedOrder = RowOf<typeof RecordedOrder>

/**
 * Keeps orders as the platform tells of them and returns ours by the platform's number. Told twice or out of order, the
 * newest (by the platform's own time) stays. A customer never met becomes known by the order.
 */
export async function recordOrders(ctx: Ctx, told: PlatformOrder[]): Promise<Map<string, RecordedOrder>> {
  const orders = newestOfEach(told)
  if (orders.length === 0) return new Map()
  await insertMissingCustomers(ctx, customersOf(orders))
  await upsertOrders(ctx, orders)
  const rows = await ctx.tx.many(
    RecordedOrder,
    sql`
    select id, platform_order_id, name, number from orders
     where store_id = ${ctx.storeId} and platform_order_id = any(${orders.map((o) => o.id)}::text[])`
  )
  return new Map(rows.map((order) => [order.platformOrderId, order]))
}

function newestOfEach(told: PlatformOrder[]): PlatformOrder[] {
  const newest = new Map<string, PlatformOrder>()
  for (const order of told) {
    const other = newest.get(order.id)
    if (!other || Temporal.Instant.compare(order.updatedAt, other.updatedAt) >= 0) newest.set(order.id, order)
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function customersOf(orders: PlatformOrder[]) {
  const byId = new Map(orders.filter((o) => o.customerId).map((o) => [o.customerId!, o]))
  return [...byId].map(([id, { email }]) => ({ id, email, firstName: null, lastName: null }))
}

// Text arrays cannot be unnested beside scalars, so tags and codes travel as JSON.
function upsertOrders(ctx: Ctx, orders: PlatformOrder[]) {
  return ctx.tx.run(sql`
    insert into orders as o (store_id, platform_order_id, member_id, name, number, email, currency, total_minor, tax_minor,
      discount_minor, financial_status, gateway, country_code, province, tags, discount_codes, source_name, cancelled_at,
      processed_at, platform_updated_at, created_at, updated_at)
    select ${ctx.storeId}, t.id, m.id, t.name, t.number, t.email, t.currency, t.total, t.tax, t.discount, t.financial_status,
           t.gateway, t.country, t.province,
           array(select jsonb_array_elements_text(t.tags::jsonb)), array(select jsonb_array_elements_text(t.codes::jsonb)),
           t.source, t.cancelled_at, t.processed_at, t.updated_at, t.created_at, ${ctx.now}
      from unnest(${orders.map((o) => o.id)}::text[], ${orders.map((o) => o.customerId)}::text[],
                  ${orders.map((o) => o.name)}::text[], ${orders.map((o) => o.number)}::text[],
                  ${orders.map((o) => o.email)}::text[], ${orders.map((o) => o.currency)}::text[],
                  ${orders.map((o) => o.totalMinor)}::bigint[], ${orders.map((o) => o.taxMinor)}::bigint[],
                  ${orders.map((o) => o.discountMinor)}::bigint[], ${orders.map((o) => o.financialStatus)}::text[],
                  ${orders.map((o) => o.gateway)}::text[], ${orders.map((o) => o.countryCode)}::text[],
                  ${orders.map((o) => o.province)}::text[], ${orders.map((o) => JSON.stringify(o.tags))}::text[],
                  ${orders.map((o) => JSON.stringify(o.discountCodes))}::text[], ${orders.map((o) => o.sourceName)}::text[],
                  ${orders.map((o) => o.cancelledAt)}::timestamptz[], ${orders.map((o) => o.processedAt)}::timestamptz[],
                  ${orders.map((o) => o.updatedAt)}::timestamptz[], ${orders.map((o) => o.createdAt)}::timestamptz[])
             as t(id, customer, name, number, email, currency, total, tax, discount, financial_status, gateway, country,
                  province, tags, codes, source, cancelled_at, processed_at, updated_at, created_at)
      left join members m on m.store_id = ${ctx.storeId} and m.platform_customer_id = t.customer
     order by t.id
    on conflict (store_id, platform_order_id) do update
      set member_id = coalesce(excluded.member_id, o.member_id), name = excluded.name, number = excluded.number,
          email = excluded.email, currency = excluded.currency, total_minor = excluded.total_minor,
          tax_minor = excluded.tax_minor, discount_minor = excluded.discount_minor,
          financial_status = excluded.financial_status, gateway = excluded.gateway, country_code = excluded.country_code,
          province = excluded.province, tags = excluded.tags, discount_codes = excluded.discount_codes,
          source_name = excluded.source_name, cancelled_at = excluded.cancelled_at, processed_at = excluded.processed_at,
          platform_updated_at = excluded.platform_updated_at, updated_at = ${ctx.now}
      where excluded.platform_updated_at >= o.platform_updated_at`)
}
