import { Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { paymentMethodPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { findCustomer } from '../state/customers.ts'
import { revokeMethods } from '../state/payment-methods.ts'
import { customerNotFound, idFrom, shopOf } from './refusals.ts'

/** Revokes the customer's cards: contracts that use them can no longer be charged. */
export async function revokeCard(
  platform: Platform,
  input: { storeId: number; customerId: string }
): Promise<{ revoked: number }> {
  const shop = await shopOf(platform, input.storeId)
  const id = idFrom('customer', input.customerId)
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    if (!(await findCustomer(q, shop.storeId, id))) throw customerNotFound(id)
    const revoked = await revokeMethods(q, shop.storeId, id, 'MANUALLY_REVOKED', now)
    if (revoked.length === 0) throw new Refusal('conflict', 'The customer has no card that could be revoked')
    const messages = revoked.map((method) => ({
      topic: 'customer_payment_methods/revoke' as const,
      payload: paymentMethodPayload(shop, method)
    }))
    await queueWebhooks(q, shop, webhookMessage(messages), now)
    return { revoked: revoked.length }
  })
}
