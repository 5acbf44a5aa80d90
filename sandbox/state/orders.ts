import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'
import type { Address } from './addresses.ts'
import type { Card } from './payment-methods.ts'

export type OrderLine = {
  id: string
  productId: string | null
  variantId: string | null
  title: string
  variantTitle: string | null
  sku: string | null
  quantity: number
  priceMinor: number
  discountMinor: number
  sellingPlanId: string | null
  sellingPlanName: string | null
  /** Of an order that is the first of several contracts: the contract of this line. */
  contractId?: string
  /** The rest is left out where it is nothing, as in orders of contracts. */
  vendor?: string | null
  requiresShipping?: boolean
  taxable?: boolean
  taxMinor?: number
  /** What each of the order's discounts takes from this line, by its place in the list of discounts. */
  allocations?: { index: number; amountMinor: number }[]
}

/** `code` is null for a discount without a code, `percentage` for a fixed amount. */
export type OrderDiscount = {
  code: string | null
  title: string
  amountMinor: number
  percentage: number | null
  /** Found by the platform itself; one without a code is otherwise an agreement with the customer. */
  isAutomatic?: boolean
  target?: 'LINE_ITEM' | 'SHIPPING_LINE'
  /** Whether it is for some of the lines only. */
  isForSome?: boolean
  /** Whether the amount is that of each item, not of all. */
  isPerItem?: boolean
}
/** `isIncluded`: in the prices, and not on top of them. */
export type Tax = { title: string; percent: number; isIncluded?: true }
export type ShippingLine = { id: string; title: string; priceMinor: number; discountMinor: number }
export type Attribute = { name: string; value: string }
/** What paid besides a card. */
export type PaidFrom = { creditAccountId: string } | { giftCardId: string; lastCharacters: string }

const OrderRow = row({
  id: text,
  number: int,
  customerId: nullable(text),
  contractId: nullable(text),
  email: nullable(text),
  currency: text,
  subtotalMinor: int,
  discountMinor: int,
  shippingMinor: int,
  taxMinor: int,
  totalMinor: int,
  refundedMinor: int,
  financialStatus: text,
  lines: json<OrderLine[]>(),
  discounts: json<OrderDiscount[]>(),
  tax: nullable(json<Tax>()),
  shippingLine: nullable(json<ShippingLine>()),
  attributes: json<Attribute[]>(),
  shippingAddress: nullable(json<Address>()),
  billingAddress: nullable(json<Address>()),
  gateways: textList,
  tags: textList,
  note: nullable(text),
  sourceName: text,
  country: nullable(text),
  province: nullable(text),
  cancelledAt: nullable(instant),
  cancelReason: nullable(text),
  createdAt: instant,
  processedAt: instant,
  updatedAt: instant
})
export type Order = RowOf<typeof OrderRow> & { __typename: 'Order' }

const TransactionRow = row({
  id: text,
  orderId: text,
  parentId: nullable(text),
  refundId: nullable(text),
  kind: text,
  status: text,
  gateway: text,
  amountMinor: int,
  currency: text,
  card: nullable(json<Card>()),
  paidFrom: nullable(json<PaidFrom>()),
  errorCode: nullable(text),
  createdAt: instant
})
export type Transaction = RowOf<typeof TransactionRow> & { __typename: 'OrderTransaction' }

const RefundRow = row({
  id: text,
  orderId: text,
  amountMinor: int,
  currency: text,
  note: nullable(text),
  createdAt: instant
})
export type Refund = RowOf<typeof RefundRow> & { __typename: 'Refund' }

const asOrder = (found: RowOf<typeof OrderRow>): Order => ({ __typename: 'Order', ...found })
const asTransaction = (found: RowOf<typeof TransactionRow>): Transaction => ({
  __typename: 'OrderTransaction',
  ...found
})
const asRefund = (found: RowOf<typeof RefundRow>): Refund => ({ __typename: 'Refund', ...found })

export async function findOrders(q: Queries, storeId: number, ids: string[]): Promise<Order[]> {
  const rows = await q.many(
    OrderRow,
    sql`
    select id::text as id, number, customer_id::text as customer_id, contract_id::text as contract_id, email, currency,
           subtotal_minor, discount_minor, shipping_minor, tax_minor, total_minor, refunded_minor, financial_status, lines,
           discounts, tax, shipping_line, attributes, shipping_address, billing_address, gateways, tags, note,
           source_name, country, province, cancelled_at, cancel_reason, created_at, processed_at, updated_at
      from sandbox.orders where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asOrder)
}

export async function findOrder(q: Queries, storeId: number, id: string): Promise<Order | null> {
  return (await findOrders(q, storeId, [id]))[0] ?? null
}

/** Locks the order, so that concurrent refunds cannot exceed the payment. */
export async function lockOrder(q: Queries, storeId: number, id: string): Promise<Order | null> {
  await q.run(sql`select from sandbox.orders where store_id = ${storeId} and id = ${id} for update`)
  return findOrder(q, storeId, id)
}

/** The orders of one customer, newest first. */
export async function listOrdersOf(q: Queries, storeId: number, customerId: string, limit: number): Promise<Order[]> {
  const rows = await q.many(
    OrderRow,
    sql`
    select id::text as id, number, customer_id::text as customer_id, contract_id::text as contract_id, email, currency,
           subtotal_minor, discount_minor, shipping_minor, tax_minor, total_minor, refunded_minor, financial_status, lines,
           discounts, tax, shipping_line, attributes, shipping_address, billing_address, gateways, tags, note,
           source_name, country, province, cancelled_at, cancel_reason, created_at, processed_at, updated_at
      from sandbox.orders where store_id = ${storeId} and customer_id = ${customerId}
     order by orders.id desc limit ${limit}`
  )
  return rows.map(asOrder)
}

/** The orders of contracts, oldest first. */
export async function listOrdersOfContracts(q: Queries, storeId: number, contractIds: string[]): Promise<Order[]> {
  const rows = await q.many(
    OrderRow,
    sql`
    select id::text as id, number, customer_id::text as customer_id, contract_id::text as contract_id, email, currency,
           subtotal_minor, discount_minor, shipping_minor, tax_minor, total_minor, refunded_minor, financial_status, lines,
           discounts, tax, shipping_line, attributes, shipping_address, billing_address, gateways, tags, note,
           source_name, country, province, cancelled_at, cancel_reason, created_at, processed_at, updated_at
      from sandbox.orders where store_id = ${storeId} and contract_id = any(${contractIds}::bigint[])
     order by orders.id`
  )
  return rows.map(asOrder)
}

export async function listTransactions(q: Queries, storeId: number, orderIds: string[]): Promise<Transaction[]> {
  const rows = await q.many(
    TransactionRow,
    sql`
    select id::text as id, order_id::text as order_id, parent_id::text as parent_id, refund_id::text as refund_id, kind,
           status, gateway, amount_minor, currency, card, paid_from, error_code, created_at
      from sandbox.transactions where store_id = ${storeId} and order_id = any(${orderIds}::bigint[])
     order by transactions.id`
  )
  return rows.map(asTransaction)
}

export async function findTransactions(q: Queries, storeId: number, ids: string[]): Promise<Transaction[]> {
  const rows = await q.many(
    TransactionRow,
    sql`
    select id::text as id, order_id::text as order_id, parent_id::text as parent_id, refund_id::text as refund_id, kind,
           status, gateway, amount_minor, currency, card, paid_from, error_code, created_at
      from sandbox.transactions where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asTransaction)
}

export async function listRefunds(q: Queries, storeId: number, orderIds: string[]): Promise<Refund[]> {
  const rows = await q.many(
    RefundRow,
    sql`
    select id::text as id, order_id::text as order_id, amount_minor, currency, note, created_at
      from sandbox.refunds where store_id = ${storeId} and order_id = any(${orderIds}::bigint[]) order by refunds.id`
  )
  return rows.map(asRefund)
}

export async function findRefunds(q: Queries, storeId: number, ids: string[]): Promise<Refund[]> {
  const rows = await q.many(
    RefundRow,
    sql`
    select id::text as id, order_id::text as order_id, amount_minor, currency, note, created_at
      from sandbox.refunds where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asRefund)
}

export async function findRefundByKey(q: Queries, storeId: number, key: string): Promise<Refund | null> {
  const found = await q.maybeOne(
    RefundRow,
    sql`
    select id::text as id, order_id::text as order_id, amount_minor, currency, note, created_at
      from sandbox.refunds where store_id = ${storeId} and idempotency_key = ${key}`
  )
  return found && asRefund(found)
}

export async function insertRefund(
  q: Queries,
  storeId: number,
  input: { orderId: string; key: string | null; amountMinor: number; currency: string; note: string | null },
  now: Temporal.Instant
): Promise<Refund> {
  const found = await q.one(
    RefundRow,
    sql`
    insert into sandbox.refunds (store_id, order_id, idempotency_key, amount_minor, currency, note, created_at)
    values (${storeId}, ${input.orderId}, ${input.key}, ${input.amountMinor}, ${input.currency}, ${input.note}, ${now})
    returning id::text as id, order_id::text as order_id, amount_minor, currency, note, created_at`
  )
  return asRefund(found)
}

export async function markRefunded(
  q: Queries,
  storeId: number,
  id: string,
  to: { refundedMinor: number; financialStatus: string },
  now: Temporal.Instant
) {
  await q.run(sql`
    update sandbox.orders set refunded_minor = ${to.refundedMinor}, financial_status = ${to.financialStatus}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

export async function findOrderOfCart(
  q: Queries,
  storeId: number,
  cartToken: string
): Promise<{ number: number } | null> {
  return q.maybeOne(
    row({ number: int }),
    sql`select number from sandbox.orders where store_id = ${storeId} and cart_token = ${cartToken}`
  )
}

export async function markCart(q: Queries, storeId: number, id: string, cartToken: string): Promise<void> {
  await q.run(sql`update sandbox.orders set cart_token = ${cartToken} where store_id = ${storeId} and id = ${id}`)
}

export async function markCancelled(
  q: Queries,
  storeId: number,
  id: string,
  reason: string,
  now: Temporal.Instant
): Promise<void> {
  await q.run(sql`
    update sandbox.orders set cancelled_at = ${now}, cancel_reason = ${reason}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

/** Inserts complete orders in one statement; their ids and numbers are given. */
export async function insertOrders(q: Queries, storeId: number, orders: Order[]) {
  await q.run(sql`
    insert into sandbox.orders (store_id, id, number, customer_id, contract_id, email, currency, subtotal_minor,
                                discount_minor, shipping_minor, tax_minor, total_minor, financial_status, lines, discounts, tax,
                                shipping_line, attributes, shipping_address, billing_address, gateways, tags, note,
                                source_name, country, province, created_at, processed_at, updated_at)
    select ${storeId}, (o->>'id')::bigint, (o->>'number')::int, (o->>'customerId')::bigint, (o->>'contractId')::bigint,
           o->>'email', o->>'currency', (o->>'subtotalMinor')::bigint, (o->>'discountMinor')::bigint,
           (o->>'shippingMinor')::bigint, (o->>'taxMinor')::bigint, (o->>'totalMinor')::bigint, o->>'financialStatus',
           o->'lines', o->'discounts', nullif(o->'tax', 'null'::jsonb), nullif(o->'shippingLine', 'null'::jsonb), o->'attributes',
           nullif(o->'shippingAddress', 'null'::jsonb), nullif(o->'billingAddress', 'null'::jsonb),
           array(select jsonb_array_elements_text(o->'gateways')), array(select jsonb_array_elements_text(o->'tags')),
           o->>'note', o->>'sourceName', o->>'country', o->>'province', (o->>'createdAt')::timestamptz,
           (o->>'processedAt')::timestamptz, (o->>'updatedAt')::timestamptz
      from jsonb_array_elements(${JSON.stringify(orders)}::jsonb) as made(o)
    on conflict (store_id, id) do nothing`)
}

export async function insertTransactions(q: Queries, storeId: number, transactions: Transaction[]) {
  await q.run(sql`
    insert into sandbox.transactions (store_id, id, order_id, parent_id, refund_id, kind, status, gateway, amount_minor,
                                      currency, card, paid_from, error_code, created_at)
    select ${storeId}, (t->>'id')::bigint, (t->>'orderId')::bigint, (t->>'parentId')::bigint, (t->>'refundId')::bigint,
           t->>'kind', t->>'status', t->>'gateway', (t->>'amountMinor')::bigint, t->>'currency',
           nullif(t->'card', 'null'::jsonb), nullif(t->'paidFrom', 'null'::jsonb), t->>'errorCode', (t->>'createdAt')::timestamptz
      from jsonb_array_elements(${JSON.stringify(transactions)}::jsonb) as made(t)
    on conflict (store_id, id) do nothing`)
}

/** Adds the orders to the customers' order counts and totals. */
export async function countOrders(q: Queries, storeId: number, orders: Order[]) {
  await q.run(sql`
    update sandbox.customers c set orders_count = c.orders_count + n.orders, spent_minor = c.spent_minor + n.spent
      from (select customer, count(*)::int as orders, sum(spent)::bigint as spent
              from unnest(${orders.map((o) => o.customerId)}::bigint[], ${orders.map((o) => o.totalMinor)}::bigint[])
                   as o(customer, spent)
             where customer is not null group by customer) n
     where c.store_id = ${storeId} and c.id = n.customer`)
}
