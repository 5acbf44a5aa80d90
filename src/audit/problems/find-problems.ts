import type { Engine } from '#kit/engines'
import { publicId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { listStores, storeStatuses } from '#stores'
import { chargeProblems } from './charge-problems.ts'
import { mirrorProblems } from './mirror-problems.ts'
import { isNote, type Problem } from './problem.ts'
import { eventProblems, jobProblems, reconciliationProblems } from './queue-problems.ts'
import { receiverProblems } from './receiver-problems.ts'
import { rewardProblems } from './reward-problems.ts'
import { scopeProblems } from './scope-problems.ts'
import { storeProblems } from './store-problems.ts'
import { workProblems } from './work-problems.ts'

export type ProblemDeps = {
  db: Database
  engines: readonly Engine[]
  /** Why an engine failed last in a store, as far as this process knows. */
  errorOf: (engine: string, storeId: number) => string | null
  /** What keeps the whole service from working. */
  causes: readonly Problem[]
}

/** What does not work, and what is worth knowing; `stores` is how many were looked at. */
export type Status = { stores: number; problems: Problem[]; notes: Problem[] }

/**
 * Everything that does not work in one store, or in all. It reads what the service has recorded and changes nothing; the first
 * hundred of each kind, or `allReceivers`. Throws when the database cannot be read.
 */
export async function findStatus(
  { db, engines, errorOf, causes }: ProblemDeps,
  storeId: number | null,
  { allReceivers = false }: { allReceivers?: boolean } = {}
): Promise<Status> {
  const stores = (await listStores(db)).filter((store) => storeId === null || store.storeId === storeId)
  const domains = new Map(stores.map((store) => [store.storeId, store.domain]))
  const domainOf = (id: number) => domains.get(id) ?? publicId('store', id)
  const statuses = await storeStatuses(db, storeId === null ? null : [storeId])
  const all = [
    ...storeProblems(stores, new Map(statuses.map((status) => [status.storeId, status]))),
    ...(await scopeProblems(db, storeId, domainOf)),
    ...(await receiverProblems(db, storeId, { domainOf, all: allReceivers })),
    ...(await eventProblems(db, storeId, domainOf)),
    ...(await jobProblems(db, storeId, domainOf)),
    ...(await reconciliationProblems(db, storeId, domainOf)),
    ...(await rewardProblems(db, storeId, domainOf)),
    ...(await mirrorProblems(db, storeId, domainOf)),
    ...(await chargeProblems(db, storeId, domainOf)),
    ...(await workProblems(db, engines, statuses, { domainOf, errorOf, causes }))
  ]
  return { stores: stores.length, problems: all.filter((one) => !isNote(one)), notes: all.filter(isNote) }
}
