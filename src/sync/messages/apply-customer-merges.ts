import { type InboundMessage, parseMergePayload, unwrap } from '#platform'
import { listContractsOfCustomers } from '#subscriptions'
import { readAndApplyContracts } from '../contracts/read-and-apply-contracts.ts'
import { mergeCustomers } from '../customers/merge-customers.ts'
import type { SyncDeps } from '../deps.ts'

/** Customers that the platform has merged: they are merged here, and the contracts of the kept one are synced. */
export async function applyCustomerMerges(deps: SyncDeps, storeId: number, messages: InboundMessage[]): Promise<void> {
  const { db, connectorOf } = deps
  const merges = messages.map((m) => parseMergePayload(m.payload)).filter(({ status }) => status === 'completed')
  if (merges.length === 0) return
  const connector = await connectorOf(storeId)
  const ids = merges.flatMap(({ keptId, deletedId }) => [keptId, deletedId])
  const existing = unwrap(await connector.customers.findMany([...new Set(ids)]))
  for (const merge of merges) {
    // A message may be early or wrong: two customers who both exist are not merged.
    if (existing.has(merge.deletedId)) throw new Error(`The platform still has customer ${merge.deletedId}`)
    await mergeCustomers(db, storeId, merge, existing.get(merge.keptId) ?? null)
    const contractIds = await db.inStore(storeId, (ctx) => listContractsOfCustomers(ctx, [merge.keptId]))
    await readAndApplyContracts(deps, storeId, contractIds)
  }
}
