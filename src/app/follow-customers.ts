import { stopBilling } from '#billing'
import { handOnCredit } from '#credits'
import type { Database } from '#kit/postgres'
import { handOnPoints } from '#loyalty'
import { keepDeletedCustomers, type MergedCustomers, meetCustomers, mergeCustomers } from '#members'
import { handOnOrders } from '#orders'
import { answered, type Connector } from '#platform'
import { endForDeletedCustomers, handOnSubscriptions, listContractsOfCustomers } from '#subscriptions'
import { syncContractsById } from './take-over-contracts.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * Customers that the platform has deleted. Their live subscriptions end, the members stay. A contract that is another customer's
 * by now was merged away before: it goes on.
 */
export async function followDeletedCustomers(deps: Deps, storeId: number, customerIds: string[]): Promise<void> {
  const { db, connectorOf } = deps
  const connector = await connectorOf(storeId)
  const there = answered(await connector.customers(customerIds))
  const gone = customerIds.filter((id) => !there.has(id))
  if (gone.length === 0) return
  const contractIds = await db.inStore(storeId, (ctx) => listContractsOfCustomers(ctx, gone))
  const contracts = answered(await connector.contracts(contractIds))
  await db.inStore(storeId, async (ctx) => {
    await keepDeletedCustomers(ctx, gone)
    const theirs = contractIds.filter((id) => !contracts.get(id)?.customer)
    const ended = await endForDeletedCustomers(ctx, theirs)
    await stopBilling(
      ctx,
      ended.map(({ id }) => id)
    )
  })
}

/**
 * Customers that the platform has made one. What both were here is joined under the one that it kept: subscriptions with their
 * history, orders, credit and points.
 */
export async function followMerges(
  deps: Deps,
  storeId: number,
  merges: (MergedCustomers & { status: string })[]
): Promise<void> {
  const { db, connectorOf } = deps
  const completed = merges.filter(({ status }) => status === 'completed')
  if (completed.length === 0) return
  const connector = await connectorOf(storeId)
  const ids = completed.flatMap(({ keptId, deletedId }) => [keptId, deletedId])
  const there = answered(await connector.customers([...new Set(ids)]))
  for (const merge of completed) {
    // A message is a hint: two who are both there are not one.
    if (there.has(merge.deletedId)) throw new Error(`The platform still has customer ${merge.deletedId}`)
    const kept = there.get(merge.keptId)
    const contractIds = await db.inStore(storeId, async (ctx) => {
      const both = await mergeCustomers(ctx, merge)
      if (both) {
        const cause = `merge:${both.from}:${both.to}`
        await handOnSubscriptions(ctx, both.from, both.to)
        await handOnOrders(ctx, both.from, both.to)
        await handOnCredit(ctx, both.from, both.to, cause)
        await handOnPoints(ctx, both.from, both.to, cause)
      }
      if (kept) await meetCustomers(ctx, [kept])
      return listContractsOfCustomers(ctx, [merge.keptId])
    })
    await syncContractsById(deps, storeId, contractIds)
  }
}
