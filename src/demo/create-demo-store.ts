import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { createPlan, listPlans } from '#plans'
import type { Connector } from '#platform'
import { createKey, findStore, listKeys, listStores, type StoreAccess, setClock, storeNow } from '#stores'
import { openStore, type SandboxShops } from '#sync'
import type { DemoSandbox } from './demo-sandbox.ts'
import { setUpDemoStorefront } from './demo-storefront.ts'
import { type SeedDeps, type SeedProgress, seedStore } from './seed-store.ts'

export const DEMO_DOMAIN = 'demo.perennial.example'
const MEMBERS = 24
const MONTHS = 12

export type DemoDeps = {
  db: Database
  vault: Vault
  sandbox: DemoSandbox & SandboxShops
  connectStore(access: StoreAccess): Promise<void>
  connectorOf(storeId: number): Promise<Connector>
  advanceClock: SeedDeps['advanceClock']
}

/**
 * Creates the demo store, a sandbox store with a past of one year, when the installation has no store at all. Returns its API
 * key, which is shown only this once. Continues a first start that was interrupted. Null when there is nothing to create.
 */
export async function createDemoStore(
  deps: DemoDeps,
  onProgress: (progress: SeedProgress) => void
): Promise<string | null> {
  const { db, connectorOf, advanceClock } = deps
  const stores = await listStores(db)
  const existing = stores.find((store) => store.domain === DEMO_DOMAIN)
  if (existing?.status === 'deleting') return null
  // The key is created when the year is complete. The clock proves nothing: anyone may have moved it since.
  if (existing ? (await db.inStore(existing.storeId, listKeys)).length > 0 : stores.length > 0) return null

  const start = Temporal.Now.zonedDateTimeISO('UTC')
    .subtract({ months: MONTHS })
    .round({ smallestUnit: 'hour', roundingMode: 'floor' })
    .toInstant()
  if (!existing?.connectedAt) {
    await openStore(deps, {
      domain: DEMO_DOMAIN,
      name: 'Perennial Demo',
      timezone: 'America/New_York',
      currency: 'USD',
      plan: 'enterprise',
      sandbox: true,
      clockAt: start
    })
  }
  const { storeId } = (await findStore(db, DEMO_DOMAIN))!
  await createDemoPlans(db, storeId, await connectorOf(storeId))
  await setUpDemoStorefront(db, storeId)
  // After an interruption the clock has moved already: the year continues to its end, never beyond the present.
  const clock = await storeNow(db, storeId)
  const yearLater = clock.toZonedDateTimeISO('UTC').add({ months: MONTHS }).toInstant()
  const isNew = Temporal.Instant.compare(yearLater, Temporal.Now.instant()) <= 0
  if (isNew) await seedStore(deps, storeId, { members: MEMBERS, months: MONTHS }, onProgress)

  const now = Temporal.Now.instant()
  if (Temporal.Instant.compare(await storeNow(db, storeId), now) < 0) {
    await advanceClock(storeId, { to: now.toString() })
  }
  await db.inStore(storeId, (ctx) => setClock(ctx, null))
  const { key } = await createKey(db, { storeId, name: 'Demo' })
  return key
}

async function createDemoPlans(db: Database, storeId: number, connector: Connector): Promise<void> {
  const existing = new Set((await db.inStore(storeId, listPlans)).map((plan) => plan.name))
  if (!existing.has('VIP')) {
    await createPlan(db, storeId, connector, {
      name: 'VIP',
      type: 'vip',
      price: '29.00',
      interval: 'month',
      intervalCount: 1,
      credit: '29.00'
    })
  }
  if (!existing.has('Elite')) {
    await createPlan(db, storeId, connector, {
      name: 'Elite',
      type: 'elite',
      price: '79.00',
      interval: 'month',
      intervalCount: 1,
      trialDays: 14
    })
  }
}
