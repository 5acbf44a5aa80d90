import { realNow } from '#kit/clock'
import { type Database, eraseStoreRows, sql } from '#kit/postgres'
import { evictPlatformAccess } from './platform-access.ts'
import { listDeletingIds, markDeleting } from './queries.ts'
import { notTheName } from './refusals.ts'
import type { Store } from './store.ts'

/** The tables of the service are in PostgreSQL's default schema; the sandbox has one of its own. */
const SCHEMA = 'public'
const MAX_SWEEPS = 20
const REFERENCED = '23503'

/**
 * Begins to delete a store, once its name is given: from the commit on no transaction of the store begins, its keys are unknown
 * and its platform is not called. `eraseStore` removes what it has. Safe to repeat; there is no way back.
 */
export async function beginStoreDeletion(
  db: Database,
  { storeId, name }: Pick<Store, 'storeId' | 'name'>,
  confirmed: string
): Promise<void> {
  if (confirmed !== name) throw notTheName(name)
  await db.inInstallation((tx) => markDeleting(tx, storeId, realNow()))
  evictPlatformAccess(db, storeId)
}

/** The stores whose deletion has begun and not ended, perhaps because a process died. */
export async function listDeletingStores(db: Database): Promise<number[]> {
  return (await db.inInstallation(listDeletingIds)).map(({ storeId }) => storeId)
}

/**
 * Removes every row of a store whose deletion has begun, batch by batch, and at last the store itself, to which every table
 * refers: when that is gone nothing is left. `mayGoOn` is asked before each batch. Returns whether the store is gone; false
 * leaves the rest for a later call. The caller keeps background work off the store.
 */
export async function eraseStore(
  db: Database,
  storeId: number,
  { mayGoOn = () => true, batch }: { mayGoOn?: () => boolean; batch?: number } = {}
): Promise<boolean> {
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    // What is removed leaves changes for the maintained counts, so the first sweep is not the last.
    const erased = await eraseStoreRows(db, { schema: SCHEMA, storeId, batch, mayGoOn })
    if (!mayGoOn()) return false
    if (erased === 0 && (await eraseStoreItself(db, storeId))) return true
  }
  return false
}

/** False while something refers to it: a transaction that began before the deletion, or older code, has just written that. */
async function eraseStoreItself(db: Database, storeId: number): Promise<boolean> {
  try {
    await db.inInstallation((tx) =>
      tx.run(sql`delete from stores where store_id = ${storeId} and deleting_since is not null`)
    )
  } catch (err) {
    if ((err as { code?: string }).code === REFERENCED) return false
    throw err
  }
  evictPlatformAccess(db, storeId)
  return true
}
