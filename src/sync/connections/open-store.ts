import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Vault } from '#kit/secrets'
import { beginDiscounts, beginMetafields } from '#mirror'
import {
  type CreatedStore,
  createStore,
  markStoreConnected,
  type NewStore,
  platformAccess,
  type StoreAccess
} from '#stores'

/** The part of the sandbox platform that has the shops. */
export type SandboxShops = {
  /** The address of the shop with this domain. */
  urlOf(domain: string): string
  /** Creates the shop of a store, or gives an existing one this name, time zone and secrets. */
  createShop(shop: StoreAccess & { name: string }): Promise<void>
}

export type OpenStoreDeps = {
  db: Database
  vault: Vault
  sandbox: SandboxShops
  connectStore(access: StoreAccess): Promise<void>
}

/**
 * Creates a store and connects it to its platform; for a sandbox store, creates its shop on the sandbox platform first. A
 * failure on the way leaves an unfinished store, and the same call continues from there.
 */
export async function openStore(
  { db, vault, sandbox, connectStore }: OpenStoreDeps,
  store: Omit<NewStore, 'platformUrl'> & { platformUrl?: string }
): Promise<CreatedStore> {
  const platformUrl = store.platformUrl ?? (store.sandbox ? sandbox.urlOf(store.domain.toLowerCase()) : '')
  const created = await createStore(db, vault, { ...store, platformUrl })
  const access = await platformAccess(db, vault, created.store.storeId)
  try {
    if (created.store.sandbox) await sandbox.createShop({ ...access, name: created.store.name })
    await connectStore(access)
  } catch (err) {
    throw err instanceof Refusal ? notConnected(created.store.domain, err) : err
  }
  await db.inStore(created.store.storeId, async (ctx) => {
    await markStoreConnected(ctx)
    await beginMetafields(ctx)
    await beginDiscounts(ctx)
  })
  return created
}

const notConnected = (domain: string, { code, message, details }: Refusal) =>
  new Refusal(
    code,
    `Store ${domain} is saved, but not connected. ${message}. Repeat the command or request to connect it`,
    details
  )
