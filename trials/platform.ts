import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { Database, sql } from '#kit/postgres'
import { Secret } from '#kit/secrets'
import { openStore } from '#sync'
import { UNKIND } from '../sandbox/index.ts'
import { createMetrics } from '../src/app/metrics.ts'
import { createService } from '../src/app/service.ts'
import { readAndApplyContracts } from '../src/sync/contracts/read-and-apply-contracts.ts'
import { receiptFiles } from '../test/receipt-files.ts'
import { startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { monthlyMembers } from './monthly-members.ts'

const TRIAL_START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const SLICE = 500

/**
 * The platform of a trial, in this process, so that it keeps running when the service, another process on the same database, is
 * killed. `serviceUrl` is the address of the service for the platform's messages; null: this process receives them. `isApart`: the
 * service has another database, so that in this one only the platform works: a second service would write to the same shops.
 */
export async function startPlatform(databaseUrl: string, serviceUrl: string | null, { isApart = false } = {}) {
  const db = new Database({ url: databaseUrl })
  const sandboxDb = new Database({ url: databaseUrl })
  const metrics = createMetrics()
  const urls = { public: serviceUrl ?? '', sandbox: '' }
  const service = await createService({
    db,
    sandboxDb,
    vault: testVault,
    operatorToken: new Secret('the trial itself'),
    logger: pino({ level: 'warn' }),
    metrics,
    addresses: { loopback: true, allow: [] },
    urls,
    apps: { platform: null, shopify: null },
    receiptFiles,
    sandboxFaults: UNKIND,
    role: isApart ? 'platform' : 'all',
    // A service with another database cannot wake it.
    pollMs: 200
  })
  if (serviceUrl === null) urls.public = await service.http.listen({ port: 0, host: '127.0.0.1' })
  urls.sandbox = await service.sandbox.app.listen({ port: 0, host: '127.0.0.1' })

  return {
    db,
    url: urls.sandbox,
    controls: service.sandbox.controls,
    deps: service.deps,
    connectorOf: service.deps.connectorOf,
    /** Has it work in the background, for a trial whose service has another database and so cannot do that. */
    run: () => service.start(),

    /** Sends the shop's webhooks that are due; the service may be away, then it tries again when they are due anew. */
    send: (storeId: number) => service.sandbox.engine.runOnce(storeId),

    /** A store with this many monthly subscriptions, each started and paid at `startsAt`, where its clock stays. */
    async aStore(domain: string, subscriptions: number, startsAt = TRIAL_START): Promise<number> {
      const { store } = await openStore(service.deps, {
        domain,
        name: 'Trial',
        timezone: 'America/New_York',
        currency: 'USD',
        plan: 'enterprise',
        sandbox: true,
        clockAt: startsAt
      })
      for (let from = 0; from < subscriptions; from += SLICE) {
        const numbers = Array.from({ length: Math.min(SLICE, subscriptions - from) }, (_, i) => from + i + 1)
        const ids = numbers.map((n) => String(900_000_000 + n))
        const members = monthlyMembers(ids.map((id) => ({ id, email: `person-${id}@example.com` })))
        await service.sandbox.controls.importFixtures({ storeId: store.storeId, ...members })
        await readAndApplyContracts(service.deps, store.storeId, ids)
      }
      return store.storeId
    },

    /** Sets the outcomes of every customer's card: one per charge, the last one for all that follow. */
    async cards(storeId: number, outcomes: string[]): Promise<void> {
      await db.inInstallation((tx) =>
        tx.run(sql`
          update sandbox.customers set script = ${outcomes.slice(0, -1)}, outcome = ${outcomes.at(-1)}
           where store_id = ${storeId}`)
      )
    },

    async close() {
      await service.stop()
      await Promise.all([metrics.close(), db.close(), sandboxDb.close()])
    }
  }
}

/** The environment of a service process beside `startPlatform`: the same key, and receivers on this machine allowed. */
export const BESIDE_THE_PLATFORM = {
  SANDBOX: 'off',
  PERENNIAL_MASTER_KEY: Buffer.alloc(32, 'perennial test master key').toString('base64'),
  WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.0/8',
  NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('../test/fixtures/tls/localhost-cert.pem', import.meta.url))
}

/**
 * Starts a service process beside `startPlatform`. Calls of the platform may take `platformSeconds`: few where answers are lost, so that
 * they are missed soon; many while a trial sets its store up.
 */
export function startBesidePlatform({
  platformSeconds,
  ...place
}: {
  databaseUrl: string
  dataDir: string
  port: number
  platformSeconds: number
}) {
  const env = { ...BESIDE_THE_PLATFORM, PLATFORM_TIMEOUT_SECONDS: String(platformSeconds) }
  return startProcess({ ...place, env })
}
