import assert from 'node:assert/strict'
import { Database } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { startProcess } from '../test/service-process.ts'
import { until } from '../test/until.ts'
import { startCreditLoad } from './credit-load.ts'
import { aLoadBalancer } from './load-balancer.ts'
import type { OlderCode } from './older-commit.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aStoreApart, chargesThatDiffer, paidOrders, quiet, rowsOf } from './platform-apart.ts'
import { aTlsReceiver } from './receiver.ts'

const DOMAIN = 'upgrade-trial.example'
const CUSTOMERS = 5
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

export type UpgradeTrial = {
  platformUrl: string
  databaseUrl: string
  dataDir: string
  older: OlderCode
  /** `upgrade`: nodes of the older version run, and one of this version joins. `rollback`: the other way round. */
  order: 'upgrade' | 'rollback'
  subscriptions: number
  /** Months of renewals with one version, with both, and with the other one alone. */
  months: number
  seed: number
}
export type UpgradeReport = { order: string; charges: number; credits: number; events: number; older: string }

type Receiver = Awaited<ReturnType<typeof aTlsReceiver>>
type Node = Awaited<ReturnType<typeof startProcess>>

/**
 * Nodes of two versions run side by side under load: renewals, store credit, pauses and webhooks. First one of the first version
 * alone, then both, then one of the second version alone. In the end each contract has one paid order a month, every credit that
 * was acknowledged is there once, every event was delivered, and the auditor has no findings. Throws otherwise.
 */
export async function upgradeUnderLoad(trial: UpgradeTrial): Promise<UpgradeReport> {
  const random = randomFrom(trial.seed)
  const balancer = await aLoadBalancer()
  const receivers = [await aTlsReceiver(), await aTlsReceiver()]
  const platform = await startPlatform(trial.platformUrl, balancer.url, { isApart: true })
  const nodes: Node[] = []
  const main = { older: trial.older.main, newer: undefined }
  const start = async (version: keyof typeof main) => {
    const node = await startProcess({
      ...trial,
      main: main[version],
      // The packages of the older version are reached through a link, which the runner of the tests has Node not resolve.
      env: { ...BESIDE_THE_PLATFORM, PUBLIC_URL: balancer.url, NODE_PRESERVE_SYMLINKS: '0' }
    })
    nodes.push(node)
    balancer.targets.push(node.url)
    return node
  }
  const stop = async (node: Node) => {
    balancer.targets = balancer.targets.filter((url) => url !== node.url)
    await node.stop()
  }
  const [first, second] = trial.order === 'upgrade' ? (['older', 'newer'] as const) : (['newer', 'older'] as const)
  let db: Database | null = null
  let load: ReturnType<typeof startCreditLoad> | null = null
  try {
    const one = await start(first)
    db = new Database({ url: trial.databaseUrl })
    await platform.run()
    const first_ = { at: START.toString(), first: 1 }
    const { at, shop } = await aStoreOn(one, db, platform, {
      ...first_,
      domain: DOMAIN,
      contracts: trial.subscriptions,
      receiver: receivers[0]!
    })
    // The clock of the other store moves, and nobody may work there meanwhile.
    const busy = { at: null, first: 1 + trial.subscriptions }
    const loaded = await aStoreOn(one, db, platform, {
      ...busy,
      domain: `busy.${DOMAIN}`,
      contracts: CUSTOMERS,
      receiver: receivers[1]!
    })
    load = startCreditLoad(balancer.url, [loaded], true)
    let now = START
    const months = async (movers: Node[], consumers?: string[]) => {
      for (let month = 0; month < trial.months; month++) {
        now = START.toZonedDateTimeISO('America/New_York').add({ months: ++passed }).toInstant()
        await platform.deps.advanceClock(shop, { to: now.toString() })
        const mover = movers[Math.floor(random() * movers.length)]!
        await mover.call('POST', `${at}/clock/advance`, { to: now.toString() })
        await quiet(trial.databaseUrl, consumers)
      }
    }
    let passed = 0
    await months([one])
    const two = await start(second)
    await months([one, two])
    await stop(one)
    // What consumers of this version alone receive waits until a node of it runs again.
    await months([two], second === 'older' ? trial.older.consumers : undefined)
    const credits = await load.stop()
    // The auditor of this version, whichever runs in the end.
    const auditor = second === 'newer' ? two : await start('newer')
    await quiet(trial.databaseUrl)

    assert.deepEqual(credits.refused, [], 'a request failed although a node was there')
    assert.deepEqual(await chargesThatDiffer(trial.databaseUrl, trial.platformUrl), [])
    const orders = await paidOrders(trial.platformUrl)
    assert.deepEqual(
      orders.filter(({ count }) => count !== 1),
      []
    )
    assert.equal(orders.length, trial.subscriptions * passed, JSON.stringify(orders))
    const entries = await rowsOf(
      trial.databaseUrl,
      `select reason as note from credit_entries where reason like 'load-%' order by 1`
    )
    assert.deepEqual(
      entries.map(({ note }) => note),
      credits.acknowledged.toSorted()
    )
    const undelivered = await rowsOf(
      trial.databaseUrl,
      `select e.name, e.data from facts e where e.name !~ '^(order|customer)[.]' and not exists (
         select from webhook_deliveries d join webhook_tries t on t.store_id = d.store_id and t.day = d.day
            and t.delivery_id = d.id and t.failure is null where d.store_id = e.store_id and d.fact_id = e.id)`
    )
    assert.deepEqual(undelivered, [])
    const { findings } = (await auditor.call('POST', '/doctor', {})) as { findings: { check: string }[] }
    assert.deepEqual(
      // What a version derives otherwise for the shop is written by the next comparison, within a day.
      findings.filter(({ check }) => check !== 'platform_charges_agree' && check !== 'platform_metafields_agree'),
      []
    )
    assert.deepEqual(
      receivers.flatMap(({ odd }) => odd),
      []
    )
    return {
      order: trial.order,
      charges: orders.length,
      credits: credits.acknowledged.length,
      events: receivers.reduce((sum, { posts }) => sum + posts.size, 0),
      older: trial.older.commit.slice(0, 9)
    }
  } finally {
    load?.abandon()
    await Promise.all(nodes.map((node) => node.kill()))
    await db?.close()
    for (const receiver of receivers) receiver.close()
    balancer.close()
    await platform.close()
  }
}

/** A store with contracts that the node imports from its platform, made so that a node of any version can do that. */
async function aStoreOn(
  node: Node,
  db: Database,
  platform: Awaited<ReturnType<typeof startPlatform>>,
  {
    domain,
    at,
    first,
    contracts,
    receiver
  }: { domain: string; at: string | null; first: number; contracts: number; receiver: Receiver }
) {
  const apart = await aStoreApart(db, platform, { domain, url: platform.url, at })
  const path = `/stores/store_${apart.storeId}`
  const { secret } = (await node.call('POST', `${path}/webhooks`, { url: receiver.url })) as { secret: string }
  receiver.secret = secret
  await node.call('POST', `${path}/reconcile`, {})
  const customers = await apart.contracts(first, contracts)
  await node.call('POST', `${path}/imports`, { source: 'platform', mode: 'live' })
  await until('the contracts are imported', async () => {
    const { data } = (await node.call('GET', `${path}/imports`, undefined)) as { data: Record<string, unknown>[] }
    return data[0]!.status === 'done' && data[0]!.created === contracts
  })
  const { key } = (await node.call('POST', `${path}/keys`, { name: 'Trial' })) as { key: string }
  return { at: path, shop: apart.shop, key, customers }
}
