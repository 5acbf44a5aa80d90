import type { HeldContract } from '#contracts'
import type { Database } from '#kit/postgres'
import { type Connector, type PlatformContract, unwrap } from '#platform'
import { mergeCustomers } from '../customers/merge-customers.ts'

/**
 * The ids of live contracts whose customer the platform has deleted. A contract that now names another customer shows that the two
 * were merged, so they are merged here. A missing or different customer in the contract is not proof enough: the platform is asked
 * whether the old customer still exists.
 */
export async function findOrphanedContracts(
  db: Database,
  connector: Connector,
  storeId: number,
  contracts: PlatformContract[],
  held: HeldContract[]
): Promise<string[]> {
  const owners = new Map(held.filter(({ isLive }) => isLive).map((h) => [h.contractId, h.customerId]))
  const uncertain = contracts.flatMap(({ id, customer }) => {
    const before = owners.get(id)
    return before === undefined || customer?.id === before ? [] : [{ id, before, now: customer?.id ?? null }]
  })
  if (uncertain.length === 0) return []
  const ids = new Set(uncertain.flatMap(({ before, now }) => [before, ...(now ? [now] : [])]))
  const existing = unwrap(await connector.customers.findMany([...ids]))
  const orphaned = uncertain.filter(({ before }) => !existing.has(before))
  for (const { before, now } of orphaned) {
    if (now) await mergeCustomers(db, storeId, { keptId: now, deletedId: before }, existing.get(now) ?? null)
  }
  return orphaned.filter(({ now }) => now === null).map(({ id }) => id)
}
