import { forgetCustomer } from '#imports'
import { endForDeletedCustomers, revokeGiftsToDeleted } from '#lifecycle'
import { markCustomersDeleted } from '#members'
import { type InboundMessage, parseDeletedCustomerPayload, unwrap } from '#platform'
import { listContractsOfCustomers } from '#subscriptions'
import { voidPassesOfDeleted } from '#wallet'
import { quarantine } from '../contracts/read-and-apply-contracts.ts'
import type { SyncDeps } from '../deps.ts'

/**
 * Customers that the platform has deleted: their live subscriptions end, the members stay, and rows of imports lose their personal
 * data, and wallet passes become void. A contract that now belongs to another customer was merged before, and continues.
 */
export async function applyCustomerDeletions(
  { db, connectorOf }: SyncDeps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const customerIds = messages.map((m) => parseDeletedCustomerPayload(m.payload).customerId)
  const connector = await connectorOf(storeId)
  const existing = unwrap(await connector.customers.findMany(customerIds))
  const deleted = customerIds.filter((id) => !existing.has(id))
  if (deleted.length === 0) return
  const contractIds = await db.inStore(storeId, (ctx) => listContractsOfCustomers(ctx, deleted))
  const { contracts, unreadable } = unwrap(await connector.contracts.findReadable(contractIds))
  await quarantine(db, storeId, unreadable)
  await db.inStore(storeId, async (ctx) => {
    await markCustomersDeleted(ctx, deleted)
    await revokeGiftsToDeleted(ctx, deleted)
    for (const platformCustomerId of deleted) await forgetCustomer(ctx, { platformCustomerId, email: null })
    const orphaned = contractIds.filter((id) => !unreadable.has(id) && !contracts.get(id)?.customer)
    await endForDeletedCustomers(ctx, orphaned)
    await voidPassesOfDeleted(ctx, deleted)
  })
}
