import { randomBytes } from 'node:crypto'
import { dunningSettings } from '#billing/settings'
import type { SettingsChange } from '#kit/define-settings'
import type { Ctx, Database } from '#kit/postgres'
import { openVault } from '#kit/secrets'
import {
  type Credentials,
  createKey,
  createStore,
  markStoreConnected,
  type NewStore,
  type Store,
  updateSettings
} from '#stores'

/** The master key of every test. */
export const testMasterKey = Buffer.alloc(32, 'perennial test master key')
export const testVault = openVault(testMasterKey)

export type BuiltStore = Store & {
  credentials: Credentials
  inStore<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
  /** Creates an API key of this store; default: all scopes. */
  aKey(scopes?: string[]): Promise<string>
}

export type DunningChange = SettingsChange<typeof dunningSettings.shape>

/** Creates a complete sandbox store with a unique domain; the given fields override the defaults. */
export async function aStore(
  db: Database,
  { dunning, ...given }: Partial<NewStore> & { dunning?: DunningChange } = {}
): Promise<BuiltStore> {
  const { store, credentials } = await createStore(db, testVault, {
    domain: `shop-${randomBytes(5).toString('hex')}.example`,
    name: 'Test shop',
    timezone: 'America/New_York',
    currency: 'USD',
    plan: 'enterprise',
    sandbox: true,
    platformUrl: 'http://127.0.0.1:9',
    ...given
  })
  await db.inStore(store.storeId, markStoreConnected)
  if (dunning) await db.inStore(store.storeId, (ctx) => updateSettings(ctx, dunningSettings, dunning))
  return {
    ...store,
    credentials,
    inStore: (work) => db.inStore(store.storeId, work),
    aKey: async (scopes) => (await createKey(db, { storeId: store.storeId, name: 'Test', scopes })).key
  }
}
