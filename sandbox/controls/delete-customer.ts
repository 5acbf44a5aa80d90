import type { Platform } from '../http.ts'
import { customerDeletedPayload, paymentMethodPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { deleteCustomers, findCustomer } from '../state/customers.ts'
import { revokeMethods } from '../state/payment-methods.ts'
import { customerNotFound, idFrom, shopOf } from './refusals.ts'

/** Deletes a customer and their cards. Their contracts stay, but can no longer be charged. */
export async function deleteCustomer(
  platform: Platform,
  input: { storeId: number; customerId: string }
): Promise<{ id: string }> {
  const shop = await shopOf(platform, input.storeId)
  const id = idFrom('customer', input.customerId)
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    if (!(await findCustomer(q, shop.storeId, id))) throw customerNotFound(id)
    const revoked = await revokeMethods(q, shop.storeId, id, 'CUSTOMER_DELETED', now)
    await deleteCustomers(q, shop.storeId, [id], now)
    const messages = [
      ...revoked.map((method) => ({
        topic: 'customer_payment_methods/revoke' as const,
        payload: paymentMethodPayload(shop, method)
      })),
      { topic: 'customers/delete' as const, payload: customerDeletedPayload(shop, id) }
    ]
    await queueWebhooks(q, shop, webhookMessage(messages), now)
  })
  return { id }
}
