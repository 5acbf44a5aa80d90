import { forgetCustomer } from '#imports'
import type { Database } from '#kit/postgres'
import { endForDeletedCustomers, revokeGiftsToDeleted } from '#lifecycle'
import { type MergedCustomers, markCustomersDeleted } from '#members'
import { type Connector, unwrap } from '#platform'
import { listContractsOfCustomers } from '#subscriptions'
import { mergeCustomers } from './merge-customers.ts'
import { quarantine, syncContractsById } from './take-over-contracts.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * Customers that the platform has deleted. Their live subscriptions end, the members stay, and rows of imports
 * forget them. A contract that is another customer's
 * by now was merged away before: it goes on.
 */
export async function applyCustomerDeletions(deps: Deps, storeId: number, customerIds: string[]): Promise<void> {
  const { db, connectorOf } = deps
  const connector = await connectorOf(storeId)
  const there = unwrap(await connector.customers.findMany(customerIds))
  const gone = customerIds.filter((id) => !there.has(id))
  if (gone.length === 0) return
  const contractIds = await db.inStore(storeId, (ctx) => listContractsOfCustomers(ctx, gone))
  const { contracts, unreadable } = unwrap(await connector.contracts.findReadable(contractIds))
  await quarantine(db, storeId, unreadable)
  await db.inStore(storeId, async (ctx) => {
    await markCustomersDeleted(ctx, gone)
    await revokeGiftsToDeleted(ctx, gone)
    for (const platformCustomerId of gone) await forgetCustomer(ctx, { platformCustomerId, email: null })
    const theirs = contractIds.filter((id) => !unreadable.has(id) && !contracts.get(id)?.customer)
    await endForDeletedCustomers(ctx, theirs)
  })
}

/**
 * Customers that the platform has made one. What both were here is joined under the one that it kept.
 */
export async function applyCustomerMerges(
  deps: Deps,
  storeId: number,
  merges: (MergedCustomers & { status: string })[]
): Promise<void> {
  const { db, connectorOf } = deps
  const completed = merges.filter(({ status }) => status === 'completed')
  if (completed.length === 0) return
  const connector = await connectorOf(storeId)
  const ids = completed.flatMap(({ keptId, deletedId }) => [keptId, deletedId])
  const there = unwrap(await connector.customers.findMany([...new Set(ids)]))
  for (const merge of completed) {
    // A message is a hint: two who are both there are not one.
    if (there.has(merge.deletedId)) throw new Error(`The platform still has customer ${merge.deletedId}`)
    await mergeCustomers(db, storeId, merge, there.get(merge.keptId) ?? null)
    const contractIds = await db.inStore(storeId, (ctx) => listContractsOfCustomers(ctx, [merge.keptId]))
    await syncContractsById(deps, storeId, contractIds)
  }
}
