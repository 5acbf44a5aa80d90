import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { createPlan, listPlans } from '#plans'
import type { Connector } from '#platform'
import { createKey, findStore, listKeys, listStores, setClock, storeNow } from '#stores'
import { openStore } from '../http/admin/open-store.ts'
import type { HttpDeps } from '../http/shared/deps.ts'
import { advanceClock } from './clock.ts'
import type { Runner } from './runner.ts'
import { type SeedProgress, seedStore } from './seed.ts'

export const DEMO_DOMAIN = 'demo.perennial.example'
const MEMBERS = 24
const MONTHS = 12

type Deps = {
  db: Database
  vault: Vault
  runner: Runner
  connectorOf: (storeId: number) => Promise<Connector>
  http: Pick<HttpDeps, 'sandbox' | 'connectStore'>
}

/**
 * Makes the sandbox store with a year of life in it, when the installation has no store at all, and returns its key,
 * which is shown this once. A start that was broken off on the way is taken up: the year is played to its end. Null when
 * there is nothing to make.
 */
export async function makeDemoStore(deps: Deps, onProgress: (progress: SeedProgress) => void): Promise<string | null> {
  const { db, vault, runner, connectorOf } = deps
  const stores = await listStores(db)
  const begun = stores.find((store) => store.domain === DEMO_DOMAIN)
  // It gets its key once the year is complete. Its clock tells nothing: anyone may have moved it since.
  if (begun ? (await db.inStore(begun.storeId, listKeys)).length > 0 : stores.length > 0) return null

  const start = Temporal.Now.zonedDateTimeISO('UTC')
    .subtract({ months: MONTHS })
    .round({ smallestUnit: 'hour', roundingMode: 'floor' })
    .toInstant()
  if (!begun?.connectedAt) {
    await openStore(
      { db, vault, ...deps.http },
      {
        domain: DEMO_DOMAIN,
        name: 'Perennial Demo',
        timezone: 'America/New_York',
        currency: 'USD',
        plan: 'enterprise',
        sandbox: true,
        clockAt: start
      }
    )
  }
  const { storeId } = (await findStore(db, DEMO_DOMAIN))!
  await makePlans(db, storeId, await connectorOf(storeId))
  // Broken off on the way, the year has a past already: it is played to its end, never beyond the present.
  const stands = await storeNow(db, storeId)
  const yearOn = stands.toZonedDateTimeISO('UTC').add({ months: MONTHS }).toInstant()
  const fresh = Temporal.Instant.compare(yearOn, Temporal.Now.instant()) <= 0
  if (fresh)
    await seedStore(
      { db, runner, sandbox: deps.http.sandbox },
      storeId,
      { members: MEMBERS, months: MONTHS },
      onProgress
    )

  const now = Temporal.Now.instant()
  if (Temporal.Instant.compare(await storeNow(db, storeId), now) < 0) {
    await advanceClock({ db, runner }, storeId, { to: now.toString() })
  }
  await db.inStore(storeId, (ctx) => setClock(ctx, null))
  const { key } = await createKey(db, { storeId, name: 'Demo' })
  return key
}

async function makePlans(db: Database, storeId: number, connector: Connector): Promise<void> {
  const there = new Set((await db.inStore(storeId, listPlans)).map((plan) => plan.name))
  if (!there.has('VIP')) {
    await createPlan(db, storeId, connector, {
      name: 'VIP',
      type: 'vip',
      price: '29.00',
      interval: 'month',
      intervalCount: 1,
      credit: '29.00'
    })
  }
  if (!there.has('Elite')) {
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
