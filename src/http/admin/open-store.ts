import { type CreatedStore, createStore, markStoreConnected, type NewStore, platformAccess } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'

/**
 * Makes a store and brings it to life: for a sandbox store its shop on the sandbox platform, then our webhooks there.
 * What fails on the way leaves an unfinished store, and doing the same again goes on from it.
 */
export async function openStore(
  { db, vault, sandbox, connectStore }: Pick<HttpDeps, 'db' | 'vault' | 'sandbox' | 'connectStore'>,
  wish: Omit<NewStore, 'platformUrl'> & { platformUrl?: string }
): Promise<CreatedStore> {
  const platformUrl = wish.platformUrl ?? (wish.sandbox ? sandbox.urlOf(wish.domain.toLowerCase()) : '')
  const created = await createStore(db, vault, { ...wish, platformUrl })
  const access = await platformAccess(db, vault, created.store.storeId)
  if (created.store.sandbox) await sandbox.createShop({ ...access, name: created.store.name })
  await connectStore(access)
  await db.inStore(created.store.storeId, markStoreConnected)
  return created
}
