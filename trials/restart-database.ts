import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Database, migrate } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { createKey, movePlatform } from '#stores'
import { createEndpoint } from '#webhooks'
import { type ChargeFaults, UNKIND } from '../sandbox/index.ts'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/start.ts'
import { aFaultyConnection } from '../test/faulty-connection.ts'
import { freePort, startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { until } from '../test/until.ts'
import { aServerFolder } from './a-server-folder.ts'
import { type LoadedStore, startCreditLoad } from './credit-load.ts'
import { examineCharges, examineRenewals } from './examine-renewals.ts'
import { LINE_FAULTS, SETTLED_BY, WRONG_RESULTS } from './kill-renewals.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aStoreApart, rowsOf } from './platform-apart.ts'
import { aTlsReceiver } from './receiver.ts'

const DOMAIN = 'restart-trial.example'
const START = '2026-01-31T15:00:00Z'
const DUE = '2026-02-28T15:00:00Z'
const HOURS_TO_SETTLE = Temporal.Instant.from(SETTLED_BY).since(DUE).total('hours')
const LOADED_STORES = 4
const CUSTOMERS = 3
/** More is taken back than in the kill trial, so that some of it was not heard before. */
const WRONG: ChargeFaults = { ...WRONG_RESULTS, reversed: 0.1 }
/** A server that has died is started again at once. */
const AT_ONCE = Array<number>(1_000).fill(0)
/** What dies at a random moment: mostly the server alone, since that is what this trial is about. */
const DIES = ['database', 'database', 'service', 'both'] as const

export type RestartTrial = {
  /** The platform's database, which keeps running. */
  platformUrl: string
  dataDir: string
  subscriptions: number
  restarts: number
  seed: number
}
export type RestartReport = {
  died: Record<(typeof DIES)[number], number>
  diedUnderWay: number
  /** Payments that the platform took back before the service had read them. */
  takenBackUnheard: number
  acknowledged: number
  spoiltCalls: number
  charged: number
  outcomes: Record<string, number>
  events: number
  posts: number
  repeated: number
}

/**
 * PostgreSQL is shut down at once (SIGQUIT) at random moments of a renewal run and started again, the service is killed with
 * SIGKILL, or both, while clients of the API write. The first time it is the service, which is then away for two hours of the
 * platform's clock, in which that takes back payments that it has reported to nobody. The platform has a database of its own and
 * protects nobody, over a connection that is as bad as in the kill trial. In the end each contract has one effective charge, what
 * was paid is recorded once, every event was delivered, every write that was acknowledged is there once, and the auditor has no
 * findings. Throws otherwise.
 */
export async function restartDatabase(trial: RestartTrial): Promise<RestartReport> {
  const random = randomFrom(trial.seed)
  await using stack = new AsyncDisposableStack()
  const home = await aServerFolder()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const postgres = stack.adopt(await startEmbeddedPostgres({ dataDir: home, pausesMs: AT_ONCE }), (open) => open.stop())
  await migrate(postgres.url, MIGRATIONS)
  const receiver = stack.adopt(await aTlsReceiver(), (open) => open.close())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const platform = stack.adopt(await startPlatform(trial.platformUrl, url, { isApart: true }), (open) => open.close())
  const line = stack.adopt(
    await aFaultyConnection({
      target: platform.url,
      shares: LINE_FAULTS,
      seed: trial.seed
    }),
    (open) => open.close()
  )
  // As a supervisor does: a start that meets a server that is recovering may be refused.
  const start = () =>
    until('the service starts', () =>
      startProcess({ databaseUrl: postgres.url, dataDir: trial.dataDir, port, env: BESIDE_THE_PLATFORM }).catch(
        () => null
      )
    )
  let service: Awaited<ReturnType<typeof start>> | null = await start()
  stack.defer(() => service?.kill())
  await platform.run()
  const { storeId, shop, loaded } = await setUp(trial, { platform, url: postgres.url, lineUrl: line.url, receiver })

  await platform.deps.advanceClock(shop, { to: DUE })
  const load = startCreditLoad(url, loaded, true)
  stack.defer(() => load.abandon())
  const advance = (to: string) => service!.call('POST', `/stores/store_${storeId}/clock/advance`, { to })
  /** Returns how many payments were taken back meanwhile. */
  const beAway = async (): Promise<number> => {
    await platform.controls.setWebhookFaults({ storeId: shop, faults: { drop: 1 } })
    const ended = advance(DUE).catch(() => {})
    const sent = () => platform.controls.counts(shop).then(({ attempts }) => attempts)
    await until('charges are sent', async () => (await sent()) >= trial.subscriptions / 4)
    await service!.kill()
    service = null
    await ended
    await platform.deps.advanceClock(shop, { to: Temporal.Instant.from(DUE).add({ hours: 2 }).toString() })
    await platform.controls.setWebhookFaults({ storeId: shop, faults: null })
    const [{ count } = { count: 0 }] = await rowsOf(
      trial.platformUrl,
      `select count(*)::int as count from sandbox.billing_attempts where outcome = 'reversed' and status = 'failed'`
    )
    return Number(count)
  }
  const died = { database: 0, service: 0, both: 0 }
  let diedUnderWay = 0
  const takenBackUnheard = await beAway()
  for (let n = 0; n < trial.restarts; n++) {
    service ??= await start()
    const advanced = advance(DUE).then(
      () => true,
      () => false
    )
    await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 15 * Math.sqrt(trial.subscriptions))))
    const what = DIES[Math.floor(random() * DIES.length)]!
    died[what]++
    const before = await postmasterIn(home)
    if (what !== 'service') process.kill(before, 'SIGQUIT')
    if (what !== 'database') {
      await service.kill()
      service = null
    }
    if (!(await advanced)) diedUnderWay++
    if (what !== 'service') {
      await until('the server is started again', async () => {
        const now = await postmasterIn(home).catch(() => before)
        return now !== before && (await rowsOf(postgres.url, 'select').then(Boolean, () => false))
      })
    }
  }
  service ??= await start()
  const moved = (to: string) =>
    until('the clock is moved', async () => (await advance(to).catch(() => null)) !== null, 300_000)
  await moved(DUE)
  const { acknowledged, refused } = await load.stop()
  assert.deepEqual(refused, [], 'requests that were refused')
  // Both sides go on together: the platform repeats messages that did not arrive by its own clock.
  for (let hours = 12; hours <= HOURS_TO_SETTLE; hours += 12) {
    const to = Temporal.Instant.from(DUE).add({ hours }).toString()
    await platform.deps.advanceClock(shop, { to })
    await moved(to)
  }

  await examineWrites(postgres.url, acknowledged)
  const charges = await examineCharges(platform, shop, trial.subscriptions)
  const { findings } = (await service.call('POST', '/doctor', {})) as { findings: { check: string }[] }
  // It would look for the orders in the service's own database.
  const found = findings.filter(({ check }) => check !== 'platform_charges_agree')
  assert.deepEqual(found, [])
  assert.deepEqual(receiver.odd, [])
  const { subscriptions } = trial
  const { lost = 0, hung = 0, slow = 0, '503': unavailable = 0 } = line.faults
  return {
    died,
    diedUnderWay,
    takenBackUnheard,
    acknowledged: acknowledged.length,
    spoiltCalls: lost + hung + slow + unavailable,
    outcomes: charges.outcomes,
    ...(await examineRenewals({
      databaseUrl: postgres.url,
      storeId,
      subscriptions,
      posts: receiver.posts,
      charges
    }))
  }
}

/** The store whose renewals fall due, and others to which credit is added in real time: the clock of the first one moves. */
async function setUp(
  trial: RestartTrial,
  place: {
    platform: Awaited<ReturnType<typeof startPlatform>>
    url: string
    lineUrl: string
    receiver: Awaited<ReturnType<typeof aTlsReceiver>>
  }
): Promise<{ storeId: number; shop: number; loaded: LoadedStore[] }> {
  const { platform, receiver } = place
  await using stack = new AsyncDisposableStack()
  const db = stack.adopt(new Database({ url: place.url }), (open) => open.close())
  const { storeId, shop, join } = await aStoreApart(db, platform, { domain: DOMAIN, url: platform.url, at: START })
  const settings = { vault: testVault, addresses: { loopback: false, allow: ['127.0.0.0/8'] } }
  receiver.secret = (await createEndpoint(db, storeId, { url: receiver.url }, settings)).secret
  await platform.controls.setChargeFaults({
    storeId: shop,
    faults: { ...UNKIND, keyMinutes: 0, ...WRONG, seed: trial.seed }
  })
  const loaded: LoadedStore[] = []
  for (let n = 0; n < LOADED_STORES; n++) {
    const domain = `busy-${n}.${DOMAIN}`
    const apart = await aStoreApart(db, platform, { domain, url: platform.url, at: null })
    const customers = await apart.join(1 + trial.subscriptions + n * CUSTOMERS, CUSTOMERS)
    loaded.push({ key: (await createKey(db, { storeId: apart.storeId, name: 'Trial' })).key, customers })
  }
  for (let first = 1; first <= trial.subscriptions; first += 500)
    await join(first, Math.min(500, trial.subscriptions - first + 1))
  await movePlatform(db, storeId, `${place.lineUrl}/${DOMAIN}`)
  return { storeId, shop, loaded }
}

/** Each acknowledged addition of credit is there once, and nothing else. */
async function examineWrites(url: string, acknowledged: string[]): Promise<void> {
  const entries = await rowsOf(
    url,
    `select reason, count(*)::int as count from credit_entries where reason like 'load-%' group by 1`
  )
  const written = new Map(entries.map(({ reason, count }) => [String(reason), Number(count)]))
  const lost = acknowledged.filter((reason) => !written.has(reason))
  assert.deepEqual(lost, [], 'writes that were acknowledged are lost')
  const repeated = [...written].filter(([, count]) => count !== 1)
  assert.deepEqual(repeated, [], 'writes that were made twice')
  assert.equal(written.size, acknowledged.length)
}

async function postmasterIn(home: string): Promise<number> {
  return Number.parseInt(await readFile(join(home, 'postgres/postmaster.pid'), 'utf8'), 10)
}
