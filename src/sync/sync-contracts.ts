import { defineJob, type JobOutcome } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { syncContractJob } from '#subscriptions'
import { stopMissingContracts, syncContractsById } from './take-over-contracts.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/** How often a contract is looked up before it counts as missing: the platform may show new ones late. */
export const MAX_LOOKUPS = 4

/** Reads contracts from the platform again and applies what has changed there. */
export const syncContractJobs = defineJob(syncContractJob, async (deps: Deps, storeId, jobs): Promise<JobOutcome[]> => {
  const ids = jobs.map(({ input }) => input.contractId)
  const { unsure, failed, missing } = await syncContractsById(deps, storeId, ids)
  const gone = missing.filter((id) => jobs[ids.indexOf(id)]!.attempts >= MAX_LOOKUPS)
  await stopMissingContracts(deps.db, storeId, gone)
  return ids.map((id): JobOutcome => {
    if (failed.has(id)) return { done: false, reason: failed.get(id)! }
    if (unsure.includes(id)) return { done: false, waits: true, reason: 'A change of ours is under way there' }
    return missing.includes(id) && !gone.includes(id) ? noContract(id) : { done: true }
  })
})

export const noContract = (id: string): JobOutcome => ({ done: false, reason: `The platform has no contract ${id}` })
