import { minorOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { refundOrder } from '../orders/refund-order.ts'
import { disputePayload } from '../outgoing/dispute-payload.ts'
import { orderPayload } from '../outgoing/order-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { findCustomer } from '../state/customers.ts'
import { saveDispute } from '../state/disputes.ts'
import { lockOrder } from '../state/orders.ts'
import { idFrom, orderNotFound, shopOf } from './refusals.ts'

/** Refunds an order; the whole order if no amount is given. */
export async function refund(
  platform: Platform,
  input: { storeId: number; orderId: string; amount?: string | null }
): Promise<{ id: string; amountMinor: number }> {
  const shop = await shopOf(platform, input.storeId)
  const orderId = idFrom('order', input.orderId)
  const amountMinor = input.amount ? minorOf(input.amount, shop.currency) : null
  const now = await platform.clock(shop.domain)
  const outcome = await platform.db.inInstallation((q) =>
    refundOrder(q, shop, { orderId, amountMinor, note: null, key: null }, now)
  )
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

const STATUS = { open: 'UNDER_REVIEW', won: 'WON', lost: 'LOST' } as const
export type DisputeOutcome = keyof typeof STATUS

/** Opens a dispute of an order, or closes it as won or lost. */
export async function dispute(
  platform: Platform,
  input: { storeId: number; orderId: string; outcome: DisputeOutcome }
): Promise<{ id: string; status: string }> {
  const shop = await shopOf(platform, input.storeId)
  const orderId = idFrom('order', input.orderId)
  if (!(input.outcome in STATUS)) throw invalidField('outcome', 'must be one of open, won, lost')
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const order = await lockOrder(q, shop.storeId, orderId)
    if (!order) throw orderNotFound(orderId)
    const to = {
      orderId,
      status: STATUS[input.outcome],
      amountMinor: order.totalMinor - order.refundedMinor,
      currency: order.currency,
      finalizedOn: input.outcome === 'open' ? null : now
    }
    const { dispute: saved, created } = await saveDispute(q, shop.storeId, to, now)
    const customer = order.customerId === null ? null : await findCustomer(q, shop.storeId, order.customerId)
    await queueWebhooks(
      q,
      shop,
      webhookMessage([
        { topic: created ? 'disputes/create' : 'disputes/update', payload: disputePayload(shop, saved) },
        { topic: 'orders/updated', payload: orderPayload(shop, { ...order, updatedAt: now }, customer) }
      ]),
      now
    )
    return { id: saved.id, status: saved.status }
  })
}
