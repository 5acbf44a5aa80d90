// Orders of a platform in memory, with the messages that it sends about them and a connector that reads them.
import { decimalOf } from '#kit/money'
import type { Connector, InboundMessage, PlatformDispute, PlatformOrder, PlatformResult } from '#platform'
import { parseOrderPayload } from '../src/platform/inbound/order-payloads.ts'

export const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
export const after = (minutes: number) => START.add({ minutes })

const gid = (type: string, id: string) => `gid://platform/${type}/${id}`

export type RefundState = { id: string; amountMinor: number; at: Temporal.Instant; status?: string }
export type LineState = { id: string; productId: string | null; quantity: number; priceMinor: number }
export type OrderState = {
  id: string
  updatedAt: Temporal.Instant
  currency: string
  totalMinor: number
  financialStatus: string
  customer: { id: string; firstName: string; lastName: string } | null
  refunds: RefundState[]
  lines: LineState[]
  attributes: { name: string; value: string }[]
  codes: { code: string; amountMinor: number }[]
  appId: string | null
  cancelledAt: Temporal.Instant | null
  /** To whom it is shipped. */
  shipTo: string | null
  tags: string[]
}

export const anOrderState = (id: string, over: Partial<OrderState> = {}): OrderState => ({
  id,
  updatedAt: START,
  currency: 'USD',
  totalMinor: 4000,
  financialStatus: 'paid',
  customer: { id: '7', firstName: 'Ada', lastName: 'Adler' },
  refunds: [],
  lines: [{ id: `${id}1`, productId: '900', quantity: 2, priceMinor: 2000 }],
  attributes: [],
  codes: [],
  appId: '580111',
  cancelledAt: null,
  shipTo: 'Sam Shipper',
  tags: [],
  ...over
})

const refundBody = (order: OrderState, { id, amountMinor, at, status = 'success' }: RefundState) => ({
  id: Number(id),
  admin_graphql_api_id: gid('Refund', id),
  order_id: Number(order.id),
  created_at: at.toString(),
  processed_at: at.toString(),
  transactions: [transactionBody(order, { id: `${id}9`, kind: 'refund', status, amountMinor, at })]
})

export type TransactionState = {
  id: string
  kind: string
  amountMinor: number
  at: Temporal.Instant
  status?: string
  gateway?: string
}

const transactionBody = (
  order: OrderState,
  { id, kind, amountMinor, at, status = 'success', gateway = 'bogus' }: TransactionState
) => ({
  id: Number(id),
  admin_graphql_api_id: gid('OrderTransaction', id),
  order_id: Number(order.id),
  kind,
  status,
  gateway,
  created_at: at.toString(),
  processed_at: at.toString(),
  parent_id: null,
  amount: decimalOf(amountMinor, order.currency),
  currency: order.currency
})

const orderBody = (order: OrderState) => ({
  id: Number(order.id),
  admin_graphql_api_id: gid('Order', order.id),
  app_id: order.appId === null ? null : Number(order.appId),
  name: `#${order.id}`,
  order_number: Number(order.id),
  created_at: START.toString(),
  processed_at: START.toString(),
  updated_at: order.updatedAt.toString(),
  cancelled_at: order.cancelledAt?.toString() ?? null,
  currency: order.currency,
  total_price: decimalOf(order.totalMinor, order.currency),
  subtotal_price: decimalOf(order.totalMinor, order.currency),
  total_tax: decimalOf(0, order.currency),
  total_discounts: decimalOf(0, order.currency),
  financial_status: order.financialStatus,
  email: order.customer && `c${order.customer.id}@example.com`,
  payment_gateway_names: ['bogus'],
  tags: order.tags.join(', '),
  source_name: 'web',
  note_attributes: order.attributes,
  discount_codes: order.codes.map(({ code, amountMinor }) => ({
    code,
    amount: decimalOf(amountMinor, order.currency)
  })),
  line_items: order.lines.map(({ id, productId, quantity, priceMinor }) => ({
    id: Number(id),
    admin_graphql_api_id: gid('LineItem', id),
    product_id: productId === null ? null : Number(productId),
    variant_id: null,
    title: 'Coffee',
    quantity,
    price: decimalOf(priceMinor, order.currency),
    discount_allocations: []
  })),
  customer: order.customer && {
    id: Number(order.customer.id),
    admin_graphql_api_id: gid('Customer', order.customer.id),
    first_name: order.customer.firstName,
    last_name: order.customer.lastName
  },
  billing_address: null,
  shipping_address: { name: order.shipTo, country_code: 'US', province: 'Kentucky' },
  refunds: order.refunds.map((refund) => refundBody(order, refund))
})

export type DisputeState = { id: string; type: string; status: string; at?: Temporal.Instant }

const disputeBody = (order: OrderState, { id, type, status }: DisputeState) => ({
  id: Number(id),
  order_id: Number(order.id),
  type,
  status,
  amount: decimalOf(order.totalMinor, order.currency),
  currency: order.currency,
  reason: 'fraudulent',
  network_reason_code: '4837',
  initiated_at: after(30).toString(),
  finalized_on: ['won', 'lost', 'accepted', 'prevented'].includes(status) ? after(50).toString() : null
})

let sent = 0
const message = (topic: string, payload: unknown, triggeredAt = START): InboundMessage => ({
  id: ++sent,
  topic,
  payload: JSON.parse(JSON.stringify(payload)),
  triggeredAt
})

/** The messages that the platform sends. */
export const messages = {
  order: (order: OrderState, topic = 'orders/updated') => message(topic, orderBody(order), order.updatedAt),
  refund: (order: OrderState, refund: RefundState) => message('refunds/create', refundBody(order, refund), refund.at),
  transaction: (order: OrderState, transaction: TransactionState) =>
    message('order_transactions/create', transactionBody(order, transaction), transaction.at),
  dispute: (order: OrderState, dispute: DisputeState, at: Temporal.Instant, topic = 'disputes/update') =>
    message(topic, disputeBody(order, dispute), at)
}

/** A platform that has these orders. `plans`: the selling plan of each line that has one. */
export function aPlatformWithOrders() {
  const platform = {
    orders: new Map<string, OrderState>(),
    transactions: new Map<string, TransactionState[]>(),
    disputes: new Map<string, PlatformDispute>(),
    plans: new Map<string, string>(),
    appNames: new Map([['580111', 'Online Store']]),
    /** What was asked for: `whole 1,2`. */
    asked: [] as string[],
    /** Refuses what comes next. */
    failure: null as { kind: 'unavailable' | 'unauthorized'; message: string; code: string } | null,
    pageSize: 250
  }
  const answer = <T>(asked: string, value: () => T): PlatformResult<T> => {
    platform.asked.push(asked)
    return platform.failure
      ? ({ ok: false, failure: platform.failure } as PlatformResult<T>)
      : { ok: true, value: value() }
  }
  const whole = (state: OrderState): PlatformOrder => {
    const order = parseOrderPayload(JSON.parse(JSON.stringify(orderBody(state))))
    const refunds = order.details!.refunds
    return {
      ...order,
      details: {
        ...order.details!,
        appName: state.appId === null ? null : (platform.appNames.get(state.appId) ?? null),
        lines: order.details!.lines.map((line) => ({ ...line, sellingPlanId: platform.plans.get(line.id) ?? null })),
        refunds: refunds.map((refund) => ({ ...refund, transactions: [] })),
        transactions: [
          ...refunds.flatMap(({ transactions }) => transactions),
          ...(platform.transactions.get(state.id) ?? []).map((one) => ({
            id: one.id,
            orderId: state.id,
            kind: one.kind,
            status: one.status ?? 'success',
            gateway: one.gateway ?? 'bogus',
            amountMinor: one.amountMinor,
            parentId: null,
            giftCardId: null,
            processedAt: one.at
          }))
        ]
      }
    }
  }
  const known = (ids: string[]) => ids.flatMap((id) => platform.orders.get(id) ?? [])
  const api: Partial<Connector['orders']> = {
    findWhole: async (ids) =>
      answer(`whole ${ids.join()}`, () => new Map(known(ids).map((state) => [state.id, whole(state)]))),
    listUpdatedSince: async (since, cursor) =>
      answer(`since ${since} ${cursor ?? ''}`.trim(), () => {
        const changed = [...platform.orders.values()]
          .filter(({ updatedAt }) => Temporal.Instant.compare(updatedAt, since) >= 0)
          .sort((a, b) => Temporal.Instant.compare(a.updatedAt, b.updatedAt))
        const from = Number(cursor ?? 0)
        const page = changed.slice(from, from + platform.pageSize)
        const items = page.map(({ id, updatedAt, tags }) => ({ id, updatedAt, tags }))
        return { items, after: from + platform.pageSize < changed.length ? String(from + platform.pageSize) : null }
      }),
    listDisputesSince: async () => answer('disputes', () => ({ items: [...platform.disputes.values()], after: null })),
    findDisputes: async (ids) =>
      answer(`disputes ${ids.join()}`, () => new Map([...platform.disputes].filter(([id]) => ids.includes(id))))
  }
  return { platform, connector: { orders: api } as Connector }
}
