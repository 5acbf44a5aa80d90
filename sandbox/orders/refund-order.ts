import type { Queries } from '#kit/postgres'
import { orderPayload } from '../outgoing/order-payloads.ts'
import { refundPayload, transactionPayload } from '../outgoing/payment-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { findCustomer } from '../state/customers.ts'
import { allotOrderIds } from '../state/numbering.ts'
import {
  findRefundByKey,
  insertRefund,
  insertTransactions,
  listTransactions,
  lockOrder,
  markRefunded,
  type Order,
  type Refund,
  type Transaction
} from '../state/orders.ts'

export type RefundOutcome =
  | { refund: Refund; order: Order; problem: null }
  | { refund: null; order: Order | null; problem: 'missing' | 'not positive' | 'too much' }

/**
 * Refunds part of an order, or everything that is left if no amount is given. A key that was used before returns the first refund.
 */
export async function refundOrder(
  q: Queries,
  shop: Shop,
  input: { orderId: string; amountMinor: number | null; note: string | null; key: string | null },
  now: Temporal.Instant
): Promise<RefundOutcome> {
  const order = await lockOrder(q, shop.storeId, input.orderId)
  if (!order) return { refund: null, order: null, problem: 'missing' }
  const before = input.key === null ? null : await findRefundByKey(q, shop.storeId, input.key)
  if (before) return { refund: before, order, problem: null }

  const leftMinor = order.totalMinor - order.refundedMinor
  const amountMinor = input.amountMinor ?? leftMinor
  if (amountMinor <= 0) return { refund: null, order, problem: 'not positive' }
  if (amountMinor > leftMinor) return { refund: null, order, problem: 'too much' }

  const { currency } = order
  const refund = await insertRefund(
    q,
    shop.storeId,
    { orderId: order.id, key: input.key, amountMinor, currency, note: input.note },
    now
  )
  const transactions = await refundAmount(q, shop, order, refund, now)
  const refundedMinor = order.refundedMinor + amountMinor
  const financialStatus = refundedMinor === order.totalMinor ? 'refunded' : 'partially_refunded'
  await markRefunded(q, shop.storeId, order.id, { refundedMinor, financialStatus }, now)
  const after: Order = { ...order, refundedMinor, financialStatus, updatedAt: now }

  const customer = order.customerId === null ? null : await findCustomer(q, shop.storeId, order.customerId)
  const payload = refundPayload(shop, after, refund, transactions)
  await queueWebhooks(
    q,
    shop,
    webhookMessage([
      { topic: 'refunds/create', payload },
      ...transactions.map((transaction) => ({
        topic: 'order_transactions/create' as const,
        payload: transactionPayload(shop, transaction, order.number)
      })),
      { topic: 'orders/updated', payload: orderPayload(shop, after, customer, [payload]) }
    ]),
    now
  )
  return { refund, order: after, problem: null }
}

/** Allocates a refund to the payments, oldest first. */
async function refundAmount(q: Queries, shop: Shop, order: Order, refund: Refund, now: Temporal.Instant) {
  const known = await listTransactions(q, shop.storeId, [order.id])
  const ids = await allotOrderIds(q, { orders: 0, lines: 0, transactions: known.length })
  const transactions: Transaction[] = []
  let leftMinor = refund.amountMinor
  for (const payment of known.filter((transaction) => transaction.kind === 'SALE')) {
    const given = known.filter((transaction) => transaction.kind === 'REFUND' && transaction.parentId === payment.id)
    const openMinor = payment.amountMinor - given.reduce((sum, transaction) => sum + transaction.amountMinor, 0)
    const amountMinor = Math.min(openMinor, leftMinor)
    if (amountMinor <= 0) continue
    leftMinor -= amountMinor
    const { gateway, card, currency } = payment
    const id = ids.transactions.shift()!
    transactions.push({
      __typename: 'OrderTransaction',
      id,
      orderId: order.id,
      parentId: payment.id,
      refundId: refund.id,
      kind: 'REFUND',
      status: 'SUCCESS',
      gateway,
      amountMinor,
      currency,
      card,
      errorCode: null,
      createdAt: now
    })
  }
  await insertTransactions(q, shop.storeId, transactions)
  return transactions
}
