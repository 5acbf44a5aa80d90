import { minorOf, sumOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { openPayments, refundOrder } from '../orders/refund-order.ts'
import { wholeOrderPayload } from '../orders/whole-order-payload.ts'
import { disputePayload } from '../outgoing/dispute-payload.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { listDisputesOf, saveDispute } from '../state/disputes.ts'
import { lockOrder } from '../state/orders.ts'
import { idFrom, orderNotFound, shopOf } from './refusals.ts'

/** Refunds an order; all that is left of it if no amount is given. */
export async function refund(
  platform: Platform,
  input: { storeId: number; orderId: string; amount?: string | null; note?: string | null }
): Promise<{ id: string; amountMinor: number }> {
  const shop = await shopOf(platform, input.storeId)
  const orderId = idFrom('order', input.orderId)
  const amountMinor = input.amount ? minorOf(input.amount, shop.currency) : null
  const now = await platform.clock(shop.domain)
  const request = { orderId, parts: null, amountMinor, note: input.note ?? 'Refund', key: null }
  const outcome = await platform.db.inInstallation((q) => refundOrder(q, shop, request, now))
  switch (outcome.problem) {
    case null:
      return { id: outcome.refund.id, amountMinor: outcome.refund.amountMinor }
    case 'missing':
      throw orderNotFound(orderId)
    case 'not positive':
      throw amountMinor === null
        ? new Refusal('conflict', `Order ${orderId} is already refunded`)
        : invalidField('amount', 'must be an amount above zero')
    case 'too much':
      throw new Refusal('conflict', `Order ${orderId} has less than that left to refund`)
  }
}

export const DISPUTE_TYPES = ['chargeback', 'inquiry'] as const
export const DISPUTE_STATUSES = [
  'needs_response',
  'under_review',
  'won',
  'lost',
  'accepted',
  'prevented',
  'charge_refunded'
] as const
/** Those of a dispute that is not decided. */
const UNDECIDED: readonly string[] = ['needs_response', 'under_review']

export type DisputeChange = {
  storeId: number
  orderId: string
  /** Default: a chargeback, or what it is already. */
  type?: (typeof DISPUTE_TYPES)[number] | null
  /** Default: it needs a response, or is as it was. */
  status?: (typeof DISPUTE_STATUSES)[number] | null
}

/**
 * Opens a dispute about what a card has paid of an order, or changes the one that it has: an inquiry may become a chargeback, and
 * either is decided.
 */
export async function dispute(
  platform: Platform,
  input: DisputeChange
): Promise<{ id: string; type: string; status: string }> {
  const shop = await shopOf(platform, input.storeId)
  const orderId = idFrom('order', input.orderId)
  if (input.type && !DISPUTE_TYPES.includes(input.type)) {
    throw invalidField('type', `must be one of ${DISPUTE_TYPES.join(', ')}`)
  }
  if (input.status && !DISPUTE_STATUSES.includes(input.status)) {
    throw invalidField('status', `must be one of ${DISPUTE_STATUSES.join(', ')}`)
  }
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const order = await lockOrder(q, shop.storeId, orderId)
    if (!order) throw orderNotFound(orderId)
    const [known] = await listDisputesOf(q, shop.storeId, [orderId])
    if (known?.type === 'CHARGEBACK' && input.type === 'inquiry') {
      throw new Refusal('conflict', `The dispute of order ${orderId} is a chargeback already`)
    }
    const paidByCard = (await openPayments(q, shop, orderId)).filter(({ payment }) => payment.paidFrom === null)
    if (paidByCard.length === 0) throw new Refusal('conflict', `No card has paid any of order ${orderId}`)
    const status = input.status ?? known?.status.toLowerCase() ?? 'needs_response'
    const to = {
      orderId,
      type: input.type?.toUpperCase() ?? known?.type ?? 'CHARGEBACK',
      status: status.toUpperCase(),
      amountMinor: sumOf(paidByCard.map(({ openMinor }) => openMinor)),
      currency: order.currency,
      finalizedOn: UNDECIDED.includes(status) ? null : now
    }
    const { dispute: saved, created } = await saveDispute(q, shop.storeId, to, now)
    await queueWebhooks(
      q,
      shop,
      webhookMessage([
        { topic: created ? 'disputes/create' : 'disputes/update', payload: disputePayload(shop, saved) },
        { topic: 'orders/updated', payload: await wholeOrderPayload(q, shop, { ...order, updatedAt: now }) }
      ]),
      now
    )
    return { id: saved.id, type: saved.type, status: saved.status }
  })
}
