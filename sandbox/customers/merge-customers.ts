import { type Queries, sql } from '#kit/postgres'
import { customersMergedPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { contractPayload } from '../outgoing/subscription-payloads.ts'
import type { Shop } from '../shop.ts'
import { listContractsOf } from '../state/contracts.ts'
import { type CustomerChange, deleteCustomers, updateCustomer } from '../state/customers.ts'

/** Moves contracts, orders, cards and addresses of one customer to another, who then is as given, and deletes the first. */
export async function mergeInto(
  q: Queries,
  shop: Shop,
  merged: { keptId: string; deletedId: string },
  to: CustomerChange,
  now: Temporal.Instant
): Promise<void> {
  const { storeId } = shop
  const { keptId, deletedId } = merged
  const moved = (await listContractsOf(q, storeId, [deletedId])).map(({ id }) => id)
  await q.run(sql`
    update sandbox.contracts
       set customer_id = ${keptId}, revision = nextval('sandbox.revisions'), updated_at = ${now}
     where store_id = ${storeId} and customer_id = ${deletedId}`)
  await q.run(sql`
    update sandbox.orders set customer_id = ${keptId} where store_id = ${storeId} and customer_id = ${deletedId}`)
  await q.run(sql`
    update sandbox.payment_methods set customer_id = ${keptId}
     where store_id = ${storeId} and customer_id = ${deletedId}`)
  await q.run(sql`
    update sandbox.customer_addresses set customer_id = ${keptId}, is_default = false
     where store_id = ${storeId} and customer_id = ${deletedId}`)
  await deleteCustomers(q, storeId, [deletedId], now)
  await updateCustomer(q, storeId, keptId, to, now)
  const contracts = (await listContractsOf(q, storeId, [keptId])).filter(({ id }) => moved.includes(id))
  const messages = [
    { topic: 'customers/merge' as const, payload: customersMergedPayload(shop, merged) },
    ...contracts.map((contract) => ({
      topic: 'subscription_contracts/update' as const,
      payload: contractPayload(shop, contract)
    }))
  ]
  await queueWebhooks(q, shop, webhookMessage(messages), now)
}
