import { abandonCreation, finishCreationJob, listUnansweredCreations, type UnansweredCreation } from '#contracts'
import { defineJob, type JobOutcome } from '#kit/jobs'
import { mapConcurrently } from '#kit/map-concurrently'
import type { Database } from '#kit/postgres'
import { unwrap } from '#platform'
import { notify } from '#stores'
import type { SyncDeps } from '../deps.ts'
import { readAndApplyContracts } from './read-and-apply-contracts.ts'

/** A search that hangs does not hold up the others. */
const MAX_AT_ONCE = 8

/**
 * Finishes creations of contracts to which the platform did not respond. Looks for each contract by its key: applies one that
 * exists, and abandons a creation without a contract after a day, with an alert to the operator.
 */
export const finishCreations = defineJob(finishCreationJob, async (deps: SyncDeps, storeId, jobs) => {
  const keys = jobs.map(({ input }) => input.createKey)
  const open = await deps.db.inStore(storeId, (ctx) => listUnansweredCreations(ctx, keys))
  const outcomes = await mapConcurrently(open, MAX_AT_ONCE, (creation) => outcomeOf(deps, storeId, creation))
  const outcomeByKey = new Map(open.map(({ createKey }, i) => [createKey, outcomes[i]!]))
  return keys.map((key): JobOutcome => outcomeByKey.get(key) ?? { done: true })
})

/** One whose calls fail does not fail the others. */
async function outcomeOf(deps: SyncDeps, storeId: number, creation: UnansweredCreation): Promise<JobOutcome> {
  try {
    const isEnded = await finish(deps, storeId, creation)
    return isEnded ? { done: true } : { done: false, reason: 'The platform does not show the contract yet' }
  } catch (err) {
    return { done: false, reason: (err as Error).message }
  }
}

async function finish(deps: SyncDeps, storeId: number, creation: UnansweredCreation): Promise<boolean> {
  // The request that began it may still be waiting for the answer.
  if (!creation.isQuiet) return false
  const connector = await deps.connectorOf(storeId)
  const contractId = unwrap(await connector.contracts.findIdByKey(creation.platformCustomerId, creation.createKey))
  if (contractId !== null) {
    await readAndApplyContracts(deps, storeId, [contractId])
    return (await deps.db.inStore(storeId, (ctx) => listUnansweredCreations(ctx, [creation.createKey]))).length === 0
  }
  return creation.isOld && abandon(deps.db, storeId, creation)
}

function abandon(
  db: Database,
  storeId: number,
  { createKey, platformCustomerId }: UnansweredCreation
): Promise<boolean> {
  return db.inStore(storeId, async (ctx) => {
    if (!(await abandonCreation(ctx, createKey))) return false
    await notify(ctx, {
      kind: 'creation_abandoned',
      subject: 'A requested subscription was not created',
      message:
        `A day ago we asked the platform to create a contract for its customer ${platformCustomerId}, and it did not answer. ` +
        'It has created none since. Nothing was charged; request the subscription again if it is still wanted.'
    })
    return true
  })
}
