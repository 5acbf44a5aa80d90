import { listStores, movePlatform, platformAccess } from '#stores'
import type { OpenStoreDeps } from './open-store.ts'

/**
 * Sandbox stores have the address of this process. When its ports have changed since the last start, updates the addresses of the
 * stores, their shops and our webhooks there.
 */
export async function moveSandboxStores({ db, vault, sandbox, connectStore }: OpenStoreDeps): Promise<void> {
  for (const { storeId, name, domain, sandbox: isSandbox, connectedAt, status } of await listStores(db)) {
    if (!isSandbox || !connectedAt || status === 'deleting') continue
    await movePlatform(db, storeId, sandbox.urlOf(domain))
    if (status !== 'active') continue
    const access = await platformAccess(db, vault, storeId)
    await sandbox.createShop({ ...access, name })
    await connectStore(access)
  }
}
