import { sumOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { openPayments, refundOrder } from '../orders/refund-order.ts'
import { wholeOrderPayload } from '../orders/whole-order-payload.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { findOrder, lockOrder, markCancelled } from '../state/orders.ts'
import { idFrom, orderNotFound, shopOf } from './refusals.ts'

export const CANCEL_REASONS = ['customer', 'declined', 'fraud', 'inventory', 'staff', 'other'] as const
export const CANCEL_REFUNDS = ['none', 'credit', 'all'] as const

export type Cancellation = {
  storeId: number
  orderId: string
  reason?: (typeof CANCEL_REASONS)[number]
  /** What is given back: nothing, what credit and gift cards have paid, or everything that is left. */
  refund?: (typeof CANCEL_REFUNDS)[number]
}

/** Cancels an order, once, as the shop's staff would. */
export async function cancelOrder(
  platform: Platform,
  input: Cancellation
): Promise<{ id: string; refundId: string | null; refundedMinor: number }> {
  const shop = await shopOf(platform, input.storeId)
  const orderId = idFrom('order', input.orderId)
  const { reason = 'customer', refund = 'none' } = input
  if (!CANCEL_REASONS.includes(reason)) throw invalidField('reason', `must be one of ${CANCEL_REASONS.join(', ')}`)
  if (!CANCEL_REFUNDS.includes(refund)) throw invalidField('refund', `must be one of ${CANCEL_REFUNDS.join(', ')}`)
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const order = await lockOrder(q, shop.storeId, orderId)
    if (!order) throw orderNotFound(orderId)
    if (order.cancelledAt) throw new Refusal('conflict', `Order ${orderId} is already cancelled`)
    await markCancelled(q, shop.storeId, orderId, reason, now)
    const creditOnly = refund === 'credit'
    const open = await openPayments(q, shop, orderId, creditOnly)
    const givesBack = refund !== 'none' && sumOf(open.map(({ openMinor }) => openMinor)) > 0
    const request = { orderId, parts: null, amountMinor: null, creditOnly, note: 'Order cancelled', key: null }
    const outcome = givesBack
      ? await refundOrder(q, shop, { ...request, event: 'ORDER_CANCELLATION' }, now)
      : { refund: null }
    const payload = await wholeOrderPayload(q, shop, (await findOrder(q, shop.storeId, orderId))!)
    await queueWebhooks(
      q,
      shop,
      webhookMessage([
        { topic: 'orders/cancelled', payload },
        { topic: 'orders/updated', payload }
      ]),
      now
    )
    return { id: orderId, refundId: outcome.refund?.id ?? null, refundedMinor: outcome.refund?.amountMinor ?? 0 }
  })
}
