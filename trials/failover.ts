import assert from 'node:assert/strict'
import { Database, findStandbyRisk, migrate } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { createKey } from '#stores'
import { createEndpoint } from '#webhooks'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { until } from '../test/until.ts'
import { type LoadedStore, startCreditLoad } from './credit-load.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aStoreApart, chargesThatDiffer, paidOrders, quiet, rowsOf } from './platform-apart.ts'
import { aPostgresPair, findPostgresTools, TOOLS_NEEDED } from './postgres-servers.ts'
import { aTlsReceiver } from './receiver.ts'

const DOMAIN = 'failover-trial.example'
const START = '2026-01-31T15:00:00Z'
const DUE = '2026-02-28T15:00:00Z'
const LATER = '2026-03-01T15:00:00Z'
const LOADED_STORES = 6
const CUSTOMERS = 5
/** How long the standby gets nothing before the primary dies: what is acknowledged in this time is not there. */
const CUT_OFF_MS = 300

export type FailoverTrial = { platformUrl: string; dataDir: string; subscriptions: number; seed: number }
export type FailoverReport =
  | { acknowledged: number; unanswered: number; charges: number; backAfterMs: number }
  | { skipped: string }

/**
 * The database's primary dies in the middle of a renewal run and of requests to the API, after the network between it and its
 * synchronous standby has failed, and the standby takes over. The service goes on by itself: every request that was acknowledged is
 * there once, every contract has one paid order, every event is delivered, and the auditor has no findings. Throws otherwise.
 */
export async function failOverToStandby(trial: FailoverTrial): Promise<FailoverReport> {
  const bin = findPostgresTools()
  if (bin === null) return { skipped: TOOLS_NEEDED }
  const random = randomFrom(trial.seed)
  const pair = await aPostgresPair(bin, { isSynchronous: true })
  const receiver = await aTlsReceiver()
  let platform: Awaited<ReturnType<typeof startPlatform>> | null = null
  let service: Awaited<ReturnType<typeof startProcess>> | null = null
  let db: Database | null = null
  let load: ReturnType<typeof startCreditLoad> | null = null
  try {
    await pair.onPrimary('create database perennial')
    const url = pair.url('perennial')
    await migrate(url, MIGRATIONS)
    const started = await startProcess({ databaseUrl: url, dataDir: trial.dataDir, env: BESIDE_THE_PLATFORM })
    service = started
    platform = await startPlatform(trial.platformUrl, started.url, { isApart: true })
    db = new Database({ url })
    assert.equal(await findStandbyRisk(db), null)
    await platform.run()
    const { storeId, shop, join } = await aStoreApart(db, platform, { domain: DOMAIN, url: platform.url, at: START })
    const settings = { vault: testVault, addresses: { loopback: false, allow: ['127.0.0.0/8'] } }
    receiver.secret = (await createEndpoint(db, storeId, { url: receiver.url }, settings)).secret
    await started.call('POST', `/stores/store_${storeId}/reconcile`, {})
    const due = await join(1, trial.subscriptions)
    // In real time: the clock of the other store moves, and nobody may work there meanwhile.
    const loaded: LoadedStore[] = []
    for (let n = 0; n < LOADED_STORES; n++) {
      const apart = await aStoreApart(db, platform, { domain: `busy-${n}.${DOMAIN}`, url: platform.url, at: null })
      const customers = await apart.join(1 + trial.subscriptions + n * CUSTOMERS, CUSTOMERS)
      loaded.push({ key: (await createKey(db, { storeId: apart.storeId, name: 'Trial' })).key, customers })
    }
    await quiet(url)

    load = startCreditLoad(started.url, loaded, false)
    await platform.deps.advanceClock(shop, { to: DUE })
    const advance = (to: string) => started.call('POST', `/stores/store_${storeId}/clock/advance`, { to })
    const advanced = advance(DUE).catch(() => null)
    // From the first charges to the last webhooks.
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.floor(random() * 20 * trial.subscriptions)))
    await pair.failOver(CUT_OFF_MS)
    const cutAt = performance.now()
    await until('the service answers again', load.once)
    const backAfterMs = Math.round(performance.now() - cutAt)
    await advanced
    // A day more, for attempts whose result has to be read from the platform: its messages were lost meanwhile.
    await platform.deps.advanceClock(shop, { to: LATER })
    await until('the clock is moved', async () => (await advance(LATER).catch(() => null)) !== null)
    const { acknowledged, refused } = await load.stop()
    await quiet(url)

    const entries = await rowsOf(
      url,
      `select reason, count(*)::int as count from credit_entries where reason like 'load-%' group by 1`
    )
    const written = new Map(entries.map(({ reason, count }) => [String(reason), Number(count)]))
    assert.deepEqual(
      acknowledged.filter((note) => written.get(note) !== 1),
      [],
      'requests that were acknowledged are lost'
    )
    assert.deepEqual(
      [...written].filter(([, count]) => count !== 1),
      []
    )
    assert.deepEqual(await chargesThatDiffer(url, trial.platformUrl), [])
    const orders = await paidOrders(trial.platformUrl)
    assert.deepEqual(
      orders.filter(({ count }) => count !== 1),
      []
    )
    const charged = orders.filter(({ contract }) => due.includes(contract))
    assert.equal(charged.length, trial.subscriptions)
    const { findings } = (await started.call('POST', '/doctor', {})) as { findings: { check: string }[] }
    assert.deepEqual(
      findings.filter(({ check }) => check !== 'platform_charges_agree'),
      []
    )
    assert.deepEqual(receiver.odd, [])
    return { acknowledged: acknowledged.length, unanswered: refused.length, charges: charged.length, backAfterMs }
  } finally {
    load?.abandon()
    await service?.kill()
    await db?.close()
    receiver.close()
    await platform?.close()
    await pair.close()
  }
}
