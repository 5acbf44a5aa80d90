import { type Ctx, int, type RowOf, row, sql, text } from '#kit/postgres'
import { insertMissingCustomers } from '#members'
import type { PlatformOrder } from '#platform'

const RecordedOrder = row({ id: int, platformOrderId: text, name: text, number: text })
export type RecordedOrder = RowOf<typeof RecordedOrder>

/**
 * Stores orders as the platform reports them, and returns our rows by the platform's order id. If an order is reported twice or
 * out of order, the newest version by the platform's `updated_at` stays. Unknown customers are created as members. What the
 * platform withholds from us stays as it is.
 */
export async function recordOrders(ctx: Ctx, reported: PlatformOrder[]): Promise<Map<string, RecordedOrder>> {
  const orders = newestOfEach(reported)
  if (orders.length === 0) return new Map()
  await insertMissingCustomers(ctx, customersOf(orders))
  await insertMissingOrders(ctx, orders)
  await updateOlderOrders(ctx, orders)
  const rows = await ctx.tx.many(
    RecordedOrder,
    sql`
    select id, platform_order_id, name, number from orders
     where store_id = ${ctx.storeId} and platform_order_id = any(${orders.map((o) => o.id)}::text[])`
  )
  return new Map(rows.map((order) => [order.platformOrderId, order]))
}

function newestOfEach(reported: PlatformOrder[]): PlatformOrder[] {
  const newest = new Map<string, PlatformOrder>()
  for (const order of reported) {
    const other = newest.get(order.id)
    if (!other || Temporal.Instant.compare(order.updatedAt, other.updatedAt) >= 0) newest.set(order.id, order)
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function customersOf(orders: PlatformOrder[]) {
  const byId = new Map(orders.filter((o) => o.customerId).map((o) => [o.customerId!, o]))
  return [...byId].map(([id, { email }]) => ({ id, email, firstName: null, lastName: null }))
}

/**
 * Inserts placeholder rows, older than any report, for orders that are new here. A separate statement, so that the update that
 * follows waits for a concurrent insert of the same order and compares with its row. Known orders use up no id.
 */
function insertMissingOrders(ctx: Ctx, orders: PlatformOrder[]) {
  return ctx.tx.run(sql`
    insert into orders (store_id, platform_order_id, name, number, currency, total_minor, tax_minor, discount_minor,
      financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at)
    select ${ctx.storeId}, t.id, '', '', t.currency, 0, 0, 0, '', '{}', '{}', t.created_at, 'epoch', t.created_at, ${ctx.now}
      from unnest(${orders.map((o) => o.id)}::text[], ${orders.map((o) => o.currency)}::text[],
                  ${orders.map((o) => o.createdAt)}::timestamptz[]) as t(id, currency, created_at)
     where not exists (
             select from orders k where k.store_id = ${ctx.storeId} and k.platform_order_id = t.id offset 0)
     order by t.id
    on conflict (store_id, platform_order_id) do nothing`)
}

// unnest() flattens nested arrays, so each order's tags and codes are passed as JSON.
function updateOlderOrders(ctx: Ctx, orders: PlatformOrder[]) {
  return ctx.tx.run(sql`
    update orders o
       set member_id = coalesce(m.id, o.member_id), name = t.name, number = t.number,
           email = case when t.withheld ? 'email' then o.email else t.email end,
           currency = t.currency, total_minor = t.total,
           tax_minor = case when t.withheld ? 'taxMinor' then o.tax_minor else t.tax end,
           discount_minor = case when t.withheld ? 'discountMinor' then o.discount_minor else t.discount end,
           refunded_minor = t.refunded,
           financial_status = case when t.withheld ? 'financialStatus' and o.financial_status <> '' then o.financial_status
                                   else t.financial_status end,
           gateway = t.gateway,
           country_code = case when t.withheld ? 'countryCode' then coalesce(t.country, o.country_code) else t.country end,
           province = case when t.withheld ? 'countryCode' then coalesce(t.province, o.province) else t.province end,
           tags = array(select jsonb_array_elements_text(t.tags::jsonb)),
           discount_codes = array(select jsonb_array_elements_text(t.codes::jsonb)),
           source_name = case when t.withheld ? 'sourceName' then o.source_name else t.source end,
           cancelled_at = case when t.withheld ? 'cancelledAt' then o.cancelled_at else t.cancelled_at end, processed_at = t.processed_at, platform_updated_at = t.updated_at,
           updated_at = ${ctx.now}
      from (select n.*, n.withheld_fields::jsonb as withheld from unnest(
                  ${orders.map((o) => o.id)}::text[], ${orders.map((o) => o.customerId)}::text[],
                  ${orders.map((o) => o.name)}::text[], ${orders.map((o) => o.number)}::text[],
                  ${orders.map((o) => o.email)}::text[], ${orders.map((o) => o.currency)}::text[],
                  ${orders.map((o) => o.totalMinor)}::bigint[], ${orders.map((o) => o.taxMinor)}::bigint[],
                  ${orders.map((o) => o.discountMinor)}::bigint[], ${orders.map((o) => o.refundedMinor)}::bigint[],
                  ${orders.map((o) => o.financialStatus)}::text[],
                  ${orders.map((o) => o.gateway)}::text[], ${orders.map((o) => o.countryCode)}::text[],
                  ${orders.map((o) => o.province)}::text[], ${orders.map((o) => JSON.stringify(o.tags))}::text[],
                  ${orders.map((o) => JSON.stringify(o.discountCodes))}::text[], ${orders.map((o) => o.sourceName)}::text[],
                  ${orders.map((o) => o.cancelledAt)}::timestamptz[], ${orders.map((o) => o.processedAt)}::timestamptz[],
                  ${orders.map((o) => o.updatedAt)}::timestamptz[], ${orders.map((o) => JSON.stringify(o.withheld ?? []))}::text[])
             as n(id, customer, name, number, email, currency, total, tax, discount, refunded, financial_status, gateway, country,
                  province, tags, codes, source, cancelled_at, processed_at, updated_at, withheld_fields)) t
      left join members m on m.store_id = ${ctx.storeId} and m.platform_customer_id = t.customer
     where o.store_id = ${ctx.storeId} and o.platform_order_id = t.id and t.updated_at >= o.platform_updated_at`)
}
