import { sumOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { refundPayload, transactionPayload } from '../outgoing/payment-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { moveCredit } from '../state/credit.ts'
import { moveGiftCard } from '../state/gift-cards.ts'
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
import { wholeOrderPayload } from './whole-order-payload.ts'

export type RefundOutcome =
  | { refund: Refund; order: Order; problem: null }
  | { refund: null; order: Order | null; problem: 'missing' | 'not positive' | 'too much' }

export type RefundRequest = {
  orderId: string
  /** The payments that are given back, and how much of each; null for the parent lets the platform choose. */
  parts: { parentId: string | null; amountMinor: number }[] | null
  /** How much to give back if there are no parts; null for all that is left. */
  amountMinor: number | null
  /** Only what credit and gift cards have paid. */
  creditOnly?: boolean
  note: string | null
  key: string | null
  event?: 'ORDER_REFUND' | 'ORDER_CANCELLATION'
}

/** A payment with what has not been given back of it. */
type Open = { payment: Transaction; openMinor: number }

/**
 * Gives back part of an order, to where it was paid from: store credit to its account, a gift card's part to the card. Without a
 * choice the payments are given back in the order in which they were taken. A key that was used before returns the first refund.
 */
export async function refundOrder(
  q: Queries,
  shop: Shop,
  request: RefundRequest,
  now: Temporal.Instant
): Promise<RefundOutcome> {
  const order = await lockOrder(q, shop.storeId, request.orderId)
  if (!order) return { refund: null, order: null, problem: 'missing' }
  const before = request.key === null ? null : await findRefundByKey(q, shop.storeId, request.key)
  if (before) return { refund: before, order, problem: null }

  const open = await openPayments(q, shop, order.id, request.creditOnly ?? false)
  const leftMinor = sumOf(open.map(({ openMinor }) => openMinor))
  const parts = request.parts ?? [{ parentId: null, amountMinor: request.amountMinor ?? leftMinor }]
  const amountMinor = sumOf(parts.map((part) => part.amountMinor))
  if (amountMinor <= 0 || parts.some((part) => part.amountMinor < 0)) {
    return { refund: null, order, problem: 'not positive' }
  }
  const taken = choose(open, parts)
  if (!taken) return { refund: null, order, problem: 'too much' }

  const { currency } = order
  const refund = await insertRefund(
    q,
    shop.storeId,
    { orderId: order.id, key: request.key, amountMinor, currency, note: request.note },
    now
  )
  const transactions = await giveBack(q, shop, { order, refund, taken, event: request.event ?? 'ORDER_REFUND' }, now)
  const refundedMinor = order.refundedMinor + amountMinor
  const financialStatus = refundedMinor === order.totalMinor ? 'refunded' : 'partially_refunded'
  await markRefunded(q, shop.storeId, order.id, { refundedMinor, financialStatus }, now)
  const after: Order = { ...order, refundedMinor, financialStatus, updatedAt: now }
  await queueWebhooks(
    q,
    shop,
    webhookMessage([
      { topic: 'refunds/create', payload: refundPayload(shop, after, refund, transactions) },
      ...transactions.map((transaction) => ({
        topic: 'order_transactions/create' as const,
        payload: transactionPayload(shop, transaction, order.number)
      })),
      { topic: 'orders/updated', payload: await wholeOrderPayload(q, shop, after) }
    ]),
    now
  )
  return { refund, order: after, problem: null }
}

/** The payments of an order with what is left of them, oldest first. */
export async function openPayments(q: Queries, shop: Shop, orderId: string, creditOnly = false): Promise<Open[]> {
  const known = await listTransactions(q, shop.storeId, [orderId])
  const givenBack = (payment: Transaction) =>
    sumOf(
      known.filter(({ kind, parentId }) => kind === 'REFUND' && parentId === payment.id).map((one) => one.amountMinor)
    )
  return known
    .filter(({ kind, paidFrom }) => kind === 'SALE' && (!creditOnly || paidFrom !== null))
    .map((payment) => ({ payment, openMinor: payment.amountMinor - givenBack(payment) }))
}

/** What each payment gives back; null if a payment, or all together, has less than is asked. */
function choose(
  open: Open[],
  parts: NonNullable<RefundRequest['parts']>
): { payment: Transaction; amountMinor: number }[] | null {
  const left = new Map(open.map(({ payment, openMinor }) => [payment.id, openMinor]))
  for (const { parentId, amountMinor } of parts) {
    let restMinor = amountMinor
    const payers = parentId === null ? [...left.keys()] : [parentId]
    for (const id of payers) {
      const here = Math.min(left.get(id) ?? 0, restMinor)
      restMinor -= here
      if (here > 0) left.set(id, left.get(id)! - here)
    }
    if (restMinor > 0) return null
  }
  return open
    .map(({ payment, openMinor }) => ({ payment, amountMinor: openMinor - left.get(payment.id)! }))
    .filter(({ amountMinor }) => amountMinor > 0)
}

/** Writes the transactions of a refund and returns credit and gift cards what they had paid. */
async function giveBack(
  q: Queries,
  shop: Shop,
  of: { order: Order; refund: Refund; taken: { payment: Transaction; amountMinor: number }[]; event: string },
  now: Temporal.Instant
): Promise<Transaction[]> {
  const { order, refund, taken, event } = of
  const ids = await allotOrderIds(q, { orders: 0, lines: 0, transactions: taken.length })
  const transactions = taken.map(
    ({ payment, amountMinor }, i): Transaction => ({
      __typename: 'OrderTransaction',
      id: ids.transactions[i]!,
      orderId: order.id,
      parentId: payment.id,
      refundId: refund.id,
      kind: 'REFUND',
      status: 'SUCCESS',
      gateway: payment.gateway,
      amountMinor,
      currency: payment.currency,
      card: payment.card,
      paidFrom: payment.paidFrom,
      errorCode: null,
      createdAt: now
    })
  )
  await insertTransactions(q, shop.storeId, transactions)
  for (const { id, paidFrom, amountMinor } of transactions) {
    if (paidFrom === null) continue
    if ('creditAccountId' in paidFrom) {
      const { creditAccountId: accountId } = paidFrom
      const move = { accountId, amountMinor, event, expiresAt: null, orderTransactionId: id }
      await moveCredit(q, shop.storeId, move, now)
    } else {
      const move = { giftCardId: paidFrom.giftCardId, amountMinor, note: null, processedAt: now }
      await moveGiftCard(q, shop.storeId, move, now)
    }
  }
  return transactions
}
