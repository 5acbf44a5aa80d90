import type { Queries } from '#kit/postgres'
import { customerDeletedPayload, paymentMethodPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { deleteCustomers } from '../state/customers.ts'
import { revokeMethods } from '../state/payment-methods.ts'

/** Deletes a customer who exists, and their cards. Their contracts stay, but can no longer be charged. */
export async function deleteCustomerOf(q: Queries, shop: Shop, id: string, now: Temporal.Instant): Promise<void> {
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
}
