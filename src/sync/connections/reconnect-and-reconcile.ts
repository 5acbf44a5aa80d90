import type { Ctx, Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { beginDiscounts, beginMetafields, walkTagsNow } from '#mirror'
import { walkOrdersNow } from '#orders'
import { type NewConnection, reconnectStore, type Store, type StoreAccess, storeDisconnected } from '#stores'
import { reconcileNow } from '../reconciler/reconciliation.ts'

/**
 * Connects a store again whose platform had removed the app, or gives it another token, and marks everything there to be
 * read at once: our webhooks, the shop, every contract and charge may have changed meanwhile. Returns the token that it has now.
 */
export async function reconnectAndReconcile(
  { db, vault }: { db: Database; vault: Vault },
  store: Store,
  given: NewConnection,
  tryOut: (access: StoreAccess) => Promise<void>
): Promise<{ accessToken: string }> {
  const connected = await reconnectStore(db, vault, store, given, tryOut)
  await db.inStore(store.storeId, readEverythingNow)
  return connected
}

/** Marks everything on the store's platform to be read at once. Refuses a store that is disconnected from it. */
export async function reconcileStore(db: Database, { storeId, status, domain }: Store): Promise<void> {
  if (status !== 'active') throw storeDisconnected(domain)
  await db.inStore(storeId, readEverythingNow)
}

/** Marks everything on the store's platform to be read at once, the check of our webhooks there among it. */
export async function readEverythingNow(ctx: Ctx): Promise<void> {
  await reconcileNow(ctx)
  await walkOrdersNow(ctx)
  await walkTagsNow(ctx)
  await beginMetafields(ctx)
  await beginDiscounts(ctx)
}
