import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { listStores, movePlatform, platformAccess } from '#stores'
import type { HttpDeps } from '../http/shared/deps.ts'

/**
 * Sandbox stores live at this process's own ports. When those have changed since the last start, the stores, their shops
 * and our webhooks there are told.
 */
export async function followAddresses(deps: {
  db: Database
  vault: Vault
  http: Pick<HttpDeps, 'sandbox' | 'connectStore'>
}): Promise<void> {
  const { db, vault, http } = deps
  for (const { storeId, name, domain, sandbox, connectedAt, status } of await listStores(db)) {
    if (!sandbox || !connectedAt) continue
    await movePlatform(db, storeId, http.sandbox.urlOf(domain))
    if (status !== 'active') continue
    const access = await platformAccess(db, vault, storeId)
    await http.sandbox.createShop({ ...access, name })
    await http.connectStore(access)
  }
}
