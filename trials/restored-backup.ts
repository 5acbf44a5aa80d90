import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Database } from '#kit/postgres'
import { createEndpoint } from '#webhooks'
import { freePort, startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { until } from '../test/until.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aStoreApart, chargesThatDiffer, paidOrders, quiet, rowsOf } from './platform-apart.ts'
import { aTlsReceiver } from './receiver.ts'
import { aRecordingProxy, type RequestedCharge } from './recording-proxy.ts'

const DOMAIN = 'restore-trial.example'
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const run = promisify(execFile)

const START = '2026-01-31T15:00:00Z'
const BACKUP = '2026-02-28T15:00:00Z'
/**
 * Charges that the backup does not have: renewals of contracts that began after it and before it, and the retry of declined ones.
 */
const LOST = ['2026-03-28T15:00:00Z', '2026-03-31T15:00:00Z', '2026-04-02T16:00:00Z']
const AFTER = ['2026-04-28T15:00:00Z', '2026-04-30T15:00:00Z'] as const

/** During the renewals of the contracts that began after the backup the stores are held, and then those of the others fall due. */
const HELD_DURING = ['2026-05-28T15:00:00Z', '2026-05-31T15:00:00Z'] as const
/** Work under way would have charged them by then. */
const WATCHED_MS = 4_000

export type RestoreTrial = {
  /** The platform's database, the service's own, and an empty one for the restore. */
  platformUrl: string
  databaseUrl: string
  emptyUrl: string
  dataDir: string
  subscriptions: number
  seed: number
}
export type RestoreReport = {
  charges: number
  lostCharges: number
  contractsAfterBackup: number
  backupBytes: number
  heldMs: number
}

/**
 * The platform keeps what happens after a backup, and the service is restored from it: renewals, declines with their retries, a
 * pause and new contracts. Later a hold begins in the middle of a renewal run. In the end every contract has one paid order in
 * every period, as the platform's orders have it, and no charge was requested under a key that had been used before, or in a held
 * store. Throws otherwise.
 */
export async function restoreOlderBackup(trial: RestoreTrial): Promise<RestoreReport> {
  const port = await freePort()
  const serviceUrl = `http://127.0.0.1:${port}`
  const receiver = await aTlsReceiver()
  const platform = await startPlatform(trial.platformUrl, serviceUrl, { isApart: true })
  const proxy = await aRecordingProxy(platform.url)
  const start = (databaseUrl: string) =>
    startProcess({
      databaseUrl,
      dataDir: trial.dataDir,
      port,
      // A read that waits while the platform is stalled goes on afterwards. Were it given up, it would be tried again after a
      // minute.
      env: { ...BESIDE_THE_PLATFORM, PUBLIC_URL: serviceUrl, PLATFORM_TIMEOUT_SECONDS: '60' }
    })
  let service: Awaited<ReturnType<typeof start>> | null = null
  const whileHeld: Promise<boolean>[] = []
  const db = new Database({ url: trial.databaseUrl })
  try {
    await platform.run()
    const apart = await aStoreApart(db, platform, { domain: DOMAIN, url: proxy.url, at: START })
    const { storeId, shop } = apart
    const settings = { vault: testVault, addresses: { loopback: false, allow: ['127.0.0.0/8'] } }
    receiver.secret = (await createEndpoint(db, storeId, { url: receiver.url }, settings)).secret
    service = await start(trial.databaseUrl)
    const at = `/stores/store_${storeId}`
    await service.call('POST', `${at}/reconcile`, {})
    await apart.join(1, trial.subscriptions)
    const moveTo = async (url: string, to: string) => {
      await platform.deps.advanceClock(shop, { to })
      await service!.call('POST', `${at}/clock/advance`, { to })
      await quiet(url)
    }
    await moveTo(trial.databaseUrl, BACKUP)

    const file = join(trial.dataDir, 'trial.backup')
    const { bytes } = await command(trial.databaseUrl, trial.dataDir, 'backup', file)
    // Some cards are declined once from now on, and one member pauses.
    await declineOnce(trial.platformUrl, shop)
    const newContracts = Math.max(2, Math.floor(trial.subscriptions / 10))
    await service.call('POST', `${at}/subscriptions/sub_1/pause`, {})
    await quiet(trial.databaseUrl)
    await apart.join(trial.subscriptions + 1, newContracts)
    for (const to of LOST) await moveTo(trial.databaseUrl, to)
    const lost = await paidOrders(trial.platformUrl)
    const asked = [...proxy.charges]
    await service.stop()
    service = null

    await command(trial.emptyUrl, trial.dataDir, 'restore', file)
    // The real time that has passed since the backup.
    await rowsOf(trial.emptyUrl, `update stores set clock_at = '${LOST.at(-1)}'`)
    const posts = receiver.posts.size
    const began = performance.now()
    service = await start(trial.emptyUrl)
    await until('the hold ends by itself', async () => (await service!.call('GET', at, undefined)).restored_at === null)
    const heldMs = Math.round(performance.now() - began)
    await until('what was found is reported to the endpoint', () => receiver.posts.size > posts)
    await quiet(trial.emptyUrl)
    assert.deepEqual(
      await paidOrders(trial.platformUrl),
      lost,
      'the restored service has charged what was charged before'
    )
    const again = () => repeated(asked, proxy.charges.slice(asked.length))
    assert.deepEqual(again(), [], 'a charge was requested again')
    assert.deepEqual(
      await chargesThatDiffer(trial.emptyUrl, trial.platformUrl),
      [],
      'paid charges that one side has alone'
    )
    const restored = await service.call('GET', `${at}/subscriptions/sub_1`, undefined)
    assert.equal(restored.status, 'paused', 'what the member asked for after the backup holds')

    for (const to of AFTER) await moveTo(trial.emptyUrl, to)

    const [during, afterwards] = HELD_DURING
    await platform.deps.advanceClock(shop, { to: afterwards })
    const goOn = proxy.stall()
    const before = proxy.charges.length
    await rowsOf(trial.emptyUrl, `update stores set clock_at = '${during}'`)
    await until('a renewal run goes on', () => proxy.charges.length === before + newContracts)
    await command(trial.emptyUrl, trial.dataDir, 'restore', '--mark')
    proxy.watch(() => void whileHeld.push(isHeld(trial.emptyUrl)))
    await rowsOf(trial.emptyUrl, `update stores set clock_at = '${afterwards}'`)
    await sleep(WATCHED_MS)
    assert.equal(await isHeld(trial.emptyUrl), true)
    goOn()
    await until('the second hold ends by itself', async () => !(await isHeld(trial.emptyUrl)))
    await until('all are charged', () => proxy.charges.length === before + newContracts + trial.subscriptions - 1)
    await quiet(trial.emptyUrl)
    assert.ok(!(await Promise.all(whileHeld)).includes(true), 'work under way has charged in a held store')
    assert.deepEqual(again(), [], 'a charge was requested again')
    const orders = await paidOrders(trial.platformUrl)
    assert.deepEqual(
      orders.filter(({ count }) => count !== 1),
      [],
      'a contract was charged twice in a period'
    )
    for (const days of [AFTER, HELD_DURING]) {
      const monthly = await contractsChargedIn(trial.platformUrl, days)
      const [from, to] = days
      assert.equal(monthly, trial.subscriptions - 1 + newContracts, `contracts charged from ${from} to ${to}`)
    }
    assert.deepEqual(
      await chargesThatDiffer(trial.emptyUrl, trial.platformUrl),
      [],
      'paid charges that one side has alone'
    )
    const { findings } = (await service.call('POST', '/doctor', {})) as { findings: { check: string }[] }
    // The platform of this store is another process, which the auditor of sandbox stores does not see.
    assert.deepEqual(
      findings.filter(({ check }) => check !== 'platform_charges_agree'),
      []
    )
    assert.deepEqual(receiver.odd, [])
    return {
      charges: orders.length,
      lostCharges: lost.filter(({ day }) => day > BACKUP.slice(0, 10)).length,
      contractsAfterBackup: newContracts,
      backupBytes: Number(bytes),
      heldMs
    }
  } finally {
    await service?.kill()
    await db.close()
    proxy.close()
    receiver.close()
    await platform.close()
  }
}

async function isHeld(url: string): Promise<boolean> {
  const rows = await rowsOf(url, 'select store_id from stores where restored_at is not null')
  return rows.length > 0
}

async function declineOnce(url: string, shop: number): Promise<void> {
  await rowsOf(
    url,
    `update sandbox.customers set script = '{insufficient_funds}' where store_id = ${shop} and id % 3 = 0`
  )
}

/** Runs a command of the product on a database, and returns its document. */
async function command(databaseUrl: string, dataDir: string, ...args: string[]): Promise<Record<string, unknown>> {
  await mkdir(dataDir, { recursive: true })
  const env = { ...process.env, ...BESIDE_THE_PLATFORM, DATABASE_URL: databaseUrl, DATA_DIR: dataDir }
  const { stdout } = await run(process.execPath, [MAIN, ...args, '--json'], { env })
  return JSON.parse(stdout) as Record<string, unknown>
}

/** The number of contracts with a paid order on these days, the first and the last one included. */
async function contractsChargedIn(url: string, [from, to]: readonly [string, string]): Promise<number> {
  const charged = (await paidOrders(url)).filter(({ day }) => day >= from.slice(0, 10) && day <= to.slice(0, 10))
  return new Set(charged.map(({ contract }) => contract)).size
}

/** Requests after the restore for charges that had been requested before it. */
function repeated(before: RequestedCharge[], after: RequestedCharge[]): string[] {
  const keys = new Set(before.map(({ key }) => key))
  return after.map(({ key }) => key).filter((key) => keys.has(key))
}
