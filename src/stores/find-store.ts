import { internalId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { findStoreById, findStoreIdByDomain, listAllStores } from './queries.ts'
import { storeNotFound } from './refusals.ts'
import type { Store } from './store.ts'

/** The store that a `store_…` id or a domain names; null when there is none. */
export async function findStore(db: Database, reference: string): Promise<Store | null> {
  // PostgreSQL accepts no NUL in a text.
  if (reference.includes('\0')) return null
  const id = internalId('store', reference)
  const storeId = id ?? (await db.inInstallation((tx) => findStoreIdByDomain(tx, reference.toLowerCase())))
  return storeId === null ? null : findStoreById(db.direct, storeId)
}

/** The same, but refuses an unknown store. */
export async function requireStore(db: Database, reference: string): Promise<Store> {
  const store = await findStore(db, reference)
  if (!store) throw storeNotFound(reference)
  return store
}

/** All stores of the installation, oldest first. */
export function listStores(db: Database): Promise<Store[]> {
  return db.inInstallation(listAllStores)
}
