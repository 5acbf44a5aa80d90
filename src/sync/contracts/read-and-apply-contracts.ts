import { markContractsMissing, quarantineContracts } from '#contracts'
import { defineJob, type JobOutcome } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { unwrap } from '#platform'
import { syncContractJob } from '#subscriptions'
import type { SyncDeps } from '../deps.ts'
import { type AppliedContracts, applyContracts } from './apply-contracts.ts'

/**
 * Reads contracts from the platform and applies them here. `missing` are those that the platform does not have; it may show a new
 * contract late. Those that failed are quarantined.
 */
export async function readAndApplyContracts(
  { db, connectorOf }: SyncDeps,
  storeId: number,
  ids: string[]
): Promise<AppliedContracts & { missing: string[] }> {
  const connector = await connectorOf(storeId)
  const wanted = [...new Set(ids)]
  const { contracts, unreadable } = unwrap(await connector.contracts.findReadable(wanted))
  const applied = await applyContracts(db, connector, storeId, [...contracts.values()])
  const failed = new Map([...unreadable, ...applied.failed])
  await quarantine(db, storeId, failed)
  return { ...applied, failed, missing: wanted.filter((id) => !contracts.has(id) && !failed.has(id)) }
}

/** Quarantines contracts that could not be read or applied, with the reasons by id. */
export async function quarantine(db: Database, storeId: number, failed: ReadonlyMap<string, string>): Promise<void> {
  if (failed.size > 0) await db.inStore(storeId, (ctx) => quarantineContracts(ctx, failed))
}

/**
 * Stops the subscriptions of contracts that the platform does not have any more. Returns how many of them were not missing
 * before.
 */
export async function stopMissingContracts(db: Database, storeId: number, contractIds: string[]): Promise<number> {
  if (contractIds.length === 0) return 0
  return db.inStore(storeId, (ctx) => markContractsMissing(ctx, contractIds))
}

/** How often a contract is looked up before it counts as missing. */
export const MAX_LOOKUPS = 4

export const noContract = (id: string): JobOutcome => ({ done: false, reason: `The platform has no contract ${id}` })

/** Reads contracts again, for example when a change of ours on the platform has ended. */
export const syncContracts = defineJob(
  syncContractJob,
  async (deps: SyncDeps, storeId, jobs): Promise<JobOutcome[]> => {
    const ids = jobs.map(({ input }) => input.contractId)
    const { unsure, failed, missing } = await readAndApplyContracts(deps, storeId, ids)
    const gone = missing.filter((id) => jobs[ids.indexOf(id)]!.attempts >= MAX_LOOKUPS)
    await stopMissingContracts(deps.db, storeId, gone)
    return ids.map((id): JobOutcome => {
      if (failed.has(id)) return { done: false, reason: failed.get(id)! }
      if (unsure.includes(id)) return { done: false, waits: true, reason: 'A change of ours is under way there' }
      return missing.includes(id) && !gone.includes(id) ? noContract(id) : { done: true }
    })
  }
)
