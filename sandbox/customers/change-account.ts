import type { Queries } from '#kit/postgres'
import { customerPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { type AccountState, type Customer, updateCustomer } from '../state/customers.ts'

/** Changes the account of a customer who exists. One that is as it is to be sends nothing. */
export async function changeAccountOf(
  q: Queries,
  shop: Shop,
  old: Customer,
  accountState: AccountState,
  now: Temporal.Instant
): Promise<void> {
  if ((old.more.accountState ?? 'disabled') === accountState) return
  const customer = { ...old, more: { ...old.more, accountState }, updatedAt: now }
  await updateCustomer(q, shop.storeId, customer.id, customer, now)
  const payload = customerPayload(shop, customer)
  const own = accountState === 'enabled' ? 'customers/enable' : accountState === 'disabled' ? 'customers/disable' : null
  const messages = [
    { topic: 'customers/update' as const, payload },
    ...(own === null ? [] : [{ topic: own as 'customers/enable' | 'customers/disable', payload }])
  ]
  await queueWebhooks(q, shop, webhookMessage(messages), now)
}
