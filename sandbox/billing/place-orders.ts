import type { Queries } from '#kit/postgres'
import { orderPayload } from '../outgoing/order-payloads.ts'
import { transactionPayload } from '../outgoing/payment-payloads.ts'
import type { Topic } from '../outgoing/topics.ts'
import type { Shop } from '../shop.ts'
import type { Address } from '../state/addresses.ts'
import type { Customer } from '../state/customers.ts'
import { allotOrderIds, allotOrderNumbers } from '../state/numbering.ts'
import {
  type Attribute,
  countOrders,
  insertOrders,
  insertTransactions,
  type Order,
  type OrderDiscount,
  type OrderLine,
  type PaidFrom,
  type ShippingLine,
  type Tax,
  type Transaction
} from '../state/orders.ts'
import type { Card } from '../state/payment-methods.ts'

export type Payment = { gateway: string; amountMinor: number; card: Card | null; paidFrom?: PaidFrom }

export type Purchase = {
  customer: Customer
  contractId: string | null
  currency: string
  lines: Omit<OrderLine, 'id'>[]
  discounts: OrderDiscount[]
  shippingMinor: number
  payments: Payment[]
  tags: string[]
  sourceName: string
  /** What only a checkout has. */
  checkout?: {
    tax: Tax | null
    taxMinor: number
    shippingLine: Omit<ShippingLine, 'id'> | null
    attributes: Attribute[]
    note: string | null
    shippingAddress: Address | null
    billingAddress: Address | null
  }
}

export type PlacedOrder = { order: Order; customer: Customer; transactions: Transaction[] }

/** Places paid orders with a fixed number of statements; returns them in the order of the purchases. */
export async function placeOrders(
  q: Queries,
  shop: Shop,
  purchases: Purchase[],
  now: Temporal.Instant
): Promise<PlacedOrder[]> {
  if (purchases.length === 0) return []
  const ids = await allotOrderIds(q, {
    orders: purchases.length,
    // A shipping line has a number of its own.
    lines: purchases.reduce((sum, { lines, checkout }) => sum + lines.length + (checkout?.shippingLine ? 1 : 0), 0),
    transactions: purchases.reduce((sum, purchase) => sum + purchase.payments.length, 0)
  })
  const firstNumber = await allotOrderNumbers(q, shop.storeId, purchases.length)
  const placed = purchases.map((purchase, i) => {
    const order = orderFrom(purchase, ids.orders[i]!, firstNumber + i, () => ids.lines.shift()!, now)
    const transactions = purchase.payments.map(
      (payment): Transaction => ({
        __typename: 'OrderTransaction',
        id: ids.transactions.shift()!,
        orderId: order.id,
        parentId: null,
        refundId: null,
        kind: 'SALE',
        status: 'SUCCESS',
        gateway: payment.gateway,
        amountMinor: payment.amountMinor,
        currency: order.currency,
        card: payment.card,
        paidFrom: payment.paidFrom ?? null,
        errorCode: null,
        createdAt: now
      })
    )
    return { order, customer: purchase.customer, transactions }
  })
  await insertOrders(
    q,
    shop.storeId,
    placed.map(({ order }) => order)
  )
  await insertTransactions(
    q,
    shop.storeId,
    placed.flatMap(({ transactions }) => transactions)
  )
  await countOrders(
    q,
    shop.storeId,
    placed.map(({ order }) => order)
  )
  return placed
}

function orderFrom(purchase: Purchase, id: string, number: number, lineId: () => string, now: Temporal.Instant): Order {
  const lines = purchase.lines.map((line) => ({ ...line, id: lineId() }))
  const linesMinor = lines.reduce((sum, line) => sum + line.priceMinor * line.quantity, 0)
  const lineDiscountMinor = lines.reduce((sum, line) => sum + line.discountMinor, 0)
  const { customer, checkout } = purchase
  const shippingLine = checkout?.shippingLine ? { ...checkout.shippingLine, id: lineId() } : null
  const shippingMinor = shippingLine ? shippingLine.priceMinor - shippingLine.discountMinor : purchase.shippingMinor
  const subtotalMinor = linesMinor - lineDiscountMinor
  const taxMinor = checkout?.taxMinor ?? 0
  return {
    __typename: 'Order',
    id,
    number,
    customerId: customer.id,
    contractId: purchase.contractId,
    email: customer.email,
    currency: purchase.currency,
    subtotalMinor,
    discountMinor: lineDiscountMinor + (shippingLine?.discountMinor ?? 0),
    shippingMinor,
    taxMinor,
    totalMinor: subtotalMinor + shippingMinor + (checkout?.tax?.isIncluded ? 0 : taxMinor),
    refundedMinor: 0,
    financialStatus: 'paid',
    lines,
    discounts: purchase.discounts,
    tax: checkout?.tax ?? null,
    shippingLine,
    attributes: checkout?.attributes ?? [],
    shippingAddress: checkout?.shippingAddress ?? null,
    billingAddress: checkout?.billingAddress ?? null,
    gateways: purchase.payments.map((payment) => payment.gateway),
    tags: purchase.tags,
    note: checkout?.note ?? null,
    sourceName: purchase.sourceName,
    country: checkout?.shippingAddress?.countryCode ?? customer.country,
    province: checkout?.shippingAddress?.provinceCode ?? customer.province,
    cancelledAt: null,
    cancelReason: null,
    createdAt: now,
    processedAt: now,
    updatedAt: now
  }
}

/** The webhooks of a new paid order. */
export function orderMessages(
  shop: Shop,
  { order, customer, transactions }: PlacedOrder
): { topic: Topic; payload: unknown }[] {
  const payload = orderPayload(shop, order, customer)
  return [
    { topic: 'orders/create', payload },
    ...transactions.map((transaction) => ({
      topic: 'order_transactions/create' as const,
      payload: transactionPayload(shop, transaction, order.number)
    })),
    { topic: 'orders/paid', payload }
  ]
}
