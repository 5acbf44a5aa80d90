import { listHeldContracts, upsertFromContracts } from '#contracts'
import { findImportStakes } from '#imports'
import { runBatched } from '#kit/batcher'
import { type Database, isOutage } from '#kit/postgres'
import { type Connector, PlatformCallFailed, type PlatformContract, UNREADABLE_RESPONSE, unwrap } from '#platform'
import { findOrphanedContracts } from './find-orphaned-contracts.ts'

/**
 * The ids of contracts that changed something here, of those to sync again later, and the reasons why others could not be applied.
 */
export type AppliedContracts = { changed: string[]; unsure: string[]; failed: Map<string, string> }

/**
 * Applies contracts, as they were read from the platform, together; and one by one where that fails, so that a bad contract blocks
 * no other. `isReconciling`: no message was received about them.
 */
export async function applyContracts(
  db: Database,
  connector: Connector,
  storeId: number,
  contracts: PlatformContract[],
  isReconciling = false
): Promise<AppliedContracts> {
  const outcomes = await runBatched(
    contracts,
    async (some) => {
      const { changed, unsure } = await applyTogether(db, connector, storeId, some, isReconciling)
      return some.map(({ id }) => ({ isChanged: changed.includes(id), isUnsure: unsure.includes(id) }))
    },
    isOutageOfAll
  )
  const applied: AppliedContracts = { changed: [], unsure: [], failed: new Map() }
  for (const [i, { id }] of contracts.entries()) {
    const outcome = outcomes[i]!
    if (outcome.status === 'rejected') {
      if (isOutageOfAll(outcome.reason)) throw outcome.reason
      applied.failed.set(id, (outcome.reason as Error).message)
      continue
    }
    if (outcome.value.isChanged) applied.changed.push(id)
    if (outcome.value.isUnsure) applied.unsure.push(id)
  }
  return applied
}

/** The database or the platform is down, which is the fault of no contract. */
const isOutageOfAll = (err: unknown) =>
  isOutage(err) || (err instanceof PlatformCallFailed && err.failure.code !== UNREADABLE_RESPONSE)

/**
 * Lets `contracts` decide in one transaction what these contracts become here. Before that, reads what the decision needs from the
 * platform: the origin orders of contracts that are new here, and whether customers still exist.
 */
async function applyTogether(
  db: Database,
  connector: Connector,
  storeId: number,
  contracts: PlatformContract[],
  isReconciling: boolean
): Promise<Pick<AppliedContracts, 'changed' | 'unsure'>> {
  if (contracts.length === 0) return { changed: [], unsure: [] }
  const held = await listHeldContracts(
    db.direct,
    storeId,
    contracts.map(({ id }) => id)
  )
  const known = new Set(held.map(({ contractId }) => contractId))
  const fresh = contracts.filter(({ id }) => !known.has(id))
  const origins = [...new Set(fresh.flatMap(({ originOrder }) => originOrder?.id ?? []))]
  const orders = origins.length > 0 ? unwrap(await connector.orders.findMany(origins)) : new Map()
  const orphaned = await findOrphanedContracts(db, connector, storeId, contracts, held)
  return db.inStore(storeId, async (ctx) =>
    upsertFromContracts(ctx, contracts, [...orders.values()], {
      stakes: await findImportStakes(ctx, fresh),
      orphaned,
      isReconciling
    })
  )
}
