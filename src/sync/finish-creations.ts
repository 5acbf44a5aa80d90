import { abandonCreation, finishCreationJob, listUnansweredCreations, type UnansweredCreation } from '#contracts'
import { defineJob, type JobOutcome } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { type Connector, unwrap } from '#platform'
import { notify } from '#stores'
import { syncContractsById } from './take-over-contracts.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * Brings contracts to their end that we asked the platform for without hearing of its answer. Each is looked for under its key:
 * one that is there is taken over, one that is not there a day later is given up, of which the operator hears.
 */
export const finishCreations = defineJob(finishCreationJob, async (deps: Deps, storeId, jobs) => {
  const keys = jobs.map(({ input }) => input.createKey)
  const open = await deps.db.inStore(storeId, (ctx) => listUnansweredCreations(ctx, keys))
  const isEnded = new Map<string, boolean>()
  for (const creation of open) isEnded.set(creation.createKey, await finish(deps, storeId, creation))
  return keys.map(
    (key): JobOutcome =>
      isEnded.get(key) === false
        ? { done: false, reason: 'The contract was not seen on the platform yet' }
        : { done: true }
  )
})

async function finish(deps: Deps, storeId: number, creation: UnansweredCreation): Promise<boolean> {
  // Whoever asked may be about to hear the answer.
  if (!creation.isQuiet) return false
  const connector = await deps.connectorOf(storeId)
  const contractId = unwrap(await connector.contracts.findIdByKey(creation.platformCustomerId, creation.createKey))
  if (contractId !== null) {
    await syncContractsById(deps, storeId, [contractId])
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
      subject: 'A subscription that was asked for was not made',
      message:
        `A day ago the platform was asked to make a contract for its customer ${platformCustomerId}, and did not answer. ` +
        'It has made none since. Nothing was charged; ask for the subscription again if it is still wanted.'
    })
    return true
  })
}
