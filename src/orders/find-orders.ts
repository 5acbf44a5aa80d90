import { type Ctx, instant, int, json, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import { CREDIT_GATEWAYS, type OrderCoupon, type OrderLine, type ProfileName } from '#platform'
import { findOrderId } from './find-order-id.ts'

const listed = {
  id: int,
  platformOrderId: text,
  name: text,
  memberId: nullable(int),
  /** On its addresses, else what the customer is called now. */
  customerName: nullable(text),
  email: nullable(text),
  processedAt: instant,
  cancelledAt: nullable(instant),
  financialStatus: text,
  gateway: nullable(text),
  currency: text,
  totalMinor: int,
  taxMinor: int,
  refundedMinor: int,
  /** The time of the latest refund. */
  refundedAt: nullable(instant),
  /** Paid with store credit or a gift card, less what went back there. */
  paidWithCreditMinor: int,
  /** The app's name, else what the platform calls the source. */
  channel: nullable(text),
  brand: nullable(text),
  countryCode: nullable(text),
  province: nullable(text),
  discountCodes: textList,
  /** Of the newest dispute, inquiries included. */
  disputeStatus: nullable(text),
  updatedAt: instant
}

export const OrderSummary = row(listed)
/** An order as lists show it. Amounts are minor units of `currency`. */
export type OrderSummary = RowOf<typeof OrderSummary>

const OrderParts = row({
  subtotalMinor: nullable(int),
  shippingMinor: nullable(int),
  shippingDiscountMinor: nullable(int),
  discountMinor: int,
  appId: nullable(text),
  tags: textList,
  coupons: nullable(json<OrderCoupon[]>()),
  attributes: nullable(json<{ name: string; value: string }[]>()),
  lines: nullable(json<OrderLine[]>()),
  detailsAt: nullable(instant)
})
const RefundOfOrder = row({ platformRefundId: text, amountMinor: int, refundedAt: instant })
const TransactionOfOrder = row({
  platformTransactionId: text,
  kind: text,
  status: text,
  gateway: nullable(text),
  amountMinor: int,
  processedAt: instant
})
const DisputeOfOrder = row({
  platformDisputeId: text,
  beganAs: text,
  type: text,
  status: text,
  reason: nullable(text),
  amountMinor: nullable(int),
  currency: nullable(text),
  initiatedAt: instant,
  finalizedAt: nullable(instant),
  reportedAt: instant
})

/** An order with everything that is known about it. */
export type OrderWithParts = OrderSummary &
  RowOf<typeof OrderParts> & {
    refunds: RowOf<typeof RefundOfOrder>[]
    transactions: RowOf<typeof TransactionOfOrder>[]
    disputes: RowOf<typeof DisputeOfOrder>[]
  }

/** Orders with smaller numbers than `before`, newest first; of one customer if `memberId` is given. */
export function listOrders(
  ctx: Ctx,
  { before, memberId, limit }: { before: number | null; memberId: number | null; limit: number }
): Promise<OrderSummary[]> {
  return ctx.tx.many(
    OrderSummary,
    sql`
    select o.id, o.platform_order_id, o.name, o.member_id,
           coalesce(o.customer_name, (
             select nullif(concat_ws(' ', nullif(m.first_name, ''), nullif(m.last_name, '')), '')
               from members m where m.store_id = ${ctx.storeId} and m.id = o.member_id)) as customer_name,
           o.email, o.processed_at, o.cancelled_at,
           o.financial_status, o.gateway, o.currency, o.total_minor, o.tax_minor, o.refunded_minor,
           (select max(refunded_at) from platform_refunds where store_id = ${ctx.storeId} and order_id = o.id) as refunded_at,
           (select coalesce(sum(case when kind = 'refund' then -amount_minor else amount_minor end), 0)::bigint
              from order_transactions
             where store_id = ${ctx.storeId} and order_id = o.id and status = 'success'
               and kind in ('sale', 'capture', 'refund') and gateway = any(${[...CREDIT_GATEWAYS]}::text[])) as paid_with_credit_minor,
           coalesce(o.channel, o.source_name) as channel, o.brand, o.country_code, o.province, o.discount_codes,
           (select status from order_disputes where store_id = ${ctx.storeId} and order_id = o.id
             order by initiated_at desc, id desc limit 1) as dispute_status, o.updated_at
      from orders o
     where o.store_id = ${ctx.storeId} and (${before}::bigint is null or o.id < ${before})
       and (${memberId}::bigint is null or o.member_id = ${memberId})
     order by o.id desc limit ${limit}`
  )
}

/** By what `findOrderId` accepts; null for an order that is not known. */
export async function findOrder(ctx: Ctx, given: string, profile: ProfileName): Promise<OrderWithParts | null> {
  const id = await findOrderId(ctx, given, profile)
  if (id === null) return null
  const [order] = await listOrders(ctx, { before: id + 1, memberId: null, limit: 1 })
  const parts = await ctx.tx.one(
    OrderParts,
    sql`
    select subtotal_minor, shipping_minor, shipping_discount_minor, discount_minor, app_id, tags, coupons, attributes, lines, details_at
      from orders where store_id = ${ctx.storeId} and id = ${id}`
  )
  const refunds = await ctx.tx.many(
    RefundOfOrder,
    sql`
    select platform_refund_id, amount_minor, refunded_at from platform_refunds
     where store_id = ${ctx.storeId} and order_id = ${id} order by refunded_at, id`
  )
  const transactions = await ctx.tx.many(
    TransactionOfOrder,
    sql`
    select platform_transaction_id, kind, status, gateway, amount_minor, processed_at from order_transactions
     where store_id = ${ctx.storeId} and order_id = ${id} order by processed_at, id`
  )
  const disputes = await ctx.tx.many(
    DisputeOfOrder,
    sql`
    select platform_dispute_id, began_as, type, status, reason, amount_minor, currency, initiated_at, finalized_at, reported_at
      from order_disputes where store_id = ${ctx.storeId} and order_id = ${id} order by initiated_at, id`
  )
  return { ...order!, ...parts, refunds, transactions, disputes }
}
