// Waiting deliveries to 500 https endpoints, 20 each, of which 50 accept connections and never respond: the time until the others
// have received theirs, relative to a run without hanging endpoints. Fails if the 99th percentile is more than twice as late.
// Usage: node bench/webhooks-fairness.ts
import { loadavg } from 'node:os'
import { createRunner, startNode } from '#kit/engines'
import { createFactEngines, record } from '#kit/outbox'
import { Database, int, row, sql } from '#kit/postgres'
import { storeStatuses } from '#stores'
import { createDeliveryEngine, createEndpoint, setEndpointStatus } from '#webhooks'

import { consumers } from '../src/app/consumers.ts'
import { enginesInTurn } from '../test/engines-in-turn.ts'
import { aStore, testVault } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'
import { trustLoopbackOnly } from './loopback-tls.ts'
import { startReceiver } from './webhooks-post.ts'

const LAYOUTS = [
  { stores: 10, endpoints: 50 },
  { stores: 1, endpoints: 500 }
]
const EVENTS = 20
/** Every n-th endpoint hangs, in runs with hanging endpoints. */
const ONE_IN = 10
const ROUNDS = 3
const WANTED = 2

type Layout = (typeof LAYOUTS)[number]
type Times = { p50: number; p99: number }

trustLoopbackOnly()
const database = await benchDatabase()
const db = new Database({ url: database.url })
const settings = { vault: testVault, addresses: { loopback: true, allow: [] } }
// One port per endpoint, since connections are pooled by origin and most receivers have their own.
const receiver = await startReceiver({ ports: 500 })
const node = await startNode(db)
const dispatch = enginesInTurn(createFactEngines({ db, consumers }))

/** Creates the stores with their waiting deliveries; returns the hanging endpoints. */
async function waitingDeliveries({ stores, endpoints }: Layout, hanging: boolean) {
  const hang: { storeId: number; endpointId: string }[] = []
  const storeIds: number[] = []
  for (let s = 0; s < stores; s++) {
    const { storeId, inStore } = await aStore(db)
    storeIds.push(storeId)
    for (let e = 0; e < endpoints; e++) {
      const manner = e % ONE_IN > 0 ? 'healthy' : hanging ? 'hang' : 'instead'
      const url = `https://127.0.0.1:${receiver.ports[s * endpoints + e]}/${manner}`
      const { id: endpointId } = await createEndpoint(db, storeId, { url }, settings)
      if (manner === 'hang') hang.push({ storeId, endpointId })
    }
    const facts = Array.from({ length: EVENTS }, (_, i) => ({
      name: 'billing.success',
      orderingKey: `subscription:${i}` as const,
      data: { billing_attempt_id: `ba_${i}`, subscription_id: `sub_${i}`, amount: 29, currency: 'USD' }
    }))
    await inStore((ctx) => record(ctx, ...facts))
    while ((await dispatch.runOnce(storeId)) > 0);
  }
  return { storeIds, hang }
}

/** Sends as the service does, all stores concurrently, until the last delivery of a healthy endpoint. */
async function send(layout: Layout, hanging: boolean): Promise<Times> {
  const { storeIds, hang } = await waitingDeliveries(layout, hanging)
  const healthy = (layout.stores * layout.endpoints - hang.length) * EVENTS
  const allSent = Promise.withResolvers<void>()
  let left = healthy
  const sender = createDeliveryEngine({
    db,
    leaseOwner: node.id,
    ...settings,
    measure: (_metric, _seconds, labels) => {
      if (Object.values(labels)[0] === 'delivered' && --left === 0) allSent.resolve()
    }
  })
  const runner = createRunner({
    db,
    engines: [sender],
    holds: node.holds,
    statuses: (storeIds) => storeStatuses(db, storeIds),
    freeLeases: async () => 0,
    onError: allSent.reject
  })

  const startedAt = performance.timeOrigin + performance.now()
  runner.start()
  await allSent.promise
  await Promise.all([runner.stop(), sender.stop(0)])
  // Otherwise their stores would continue with them during the next run.
  for (const { storeId, endpointId } of hang) {
    await db.inStore(storeId, (ctx) => setEndpointStatus(ctx, endpointId, 'disabled'))
  }

  const { received, distinct, hung, arrivals } = await receiver.report()
  const { tries } = await db.inInstallation((tx) =>
    tx.one(
      row({ tries: int }),
      sql`select count(*) as tries from webhook_tries where store_id = any(${storeIds}::bigint[]) and failure is null`
    )
  )
  if (received !== healthy || distinct !== healthy || tries !== healthy) {
    throw new Error(
      `${received} POSTs of ${distinct} deliveries received and ${tries} tries written down for ${healthy}`
    )
  }
  if (hung < hang.length) throw new Error(`Only ${hung} POSTs reached the ${hang.length} hanging endpoints`)
  const waits = arrivals.filter(([path]) => path === '/healthy').map(([, atMs]) => atMs - startedAt)
  return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
}

function percentile(values: number[], share: number): number {
  return values.sort((a, b) => a - b)[Math.ceil(values.length * share) - 1]!
}

await send({ stores: 2, endpoints: 50 }, true)
for (const layout of LAYOUTS) {
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? [false, true] : [true, false]
    const times = new Map<boolean, Times>()
    for (const hanging of order) times.set(hanging, await send(layout, hanging))
    const [calm, among] = [times.get(false)!, times.get(true)!]
    ratios.push(among.p99 / calm.p99)
    console.log(
      `${layout.stores} x ${layout.endpoints}: nobody hangs p50 ${calm.p50.toFixed(0)} ms, p99 ${calm.p99.toFixed(0)} ms · ` +
        `one in ${ONE_IN} hangs p50 ${among.p50.toFixed(0)} ms, p99 ${among.p99.toFixed(0)} ms · ratio ${ratios.at(-1)!.toFixed(2)}`
    )
  }
  const { stores, endpoints } = layout
  console.log(
    `${stores} ${stores === 1 ? 'store' : 'stores'} of ${endpoints} endpoints, ${stores * endpoints * EVENTS} deliveries: ` +
      `99th percentile ${median(ratios).toFixed(2)} times as late (load ${loadavg()[0]!.toFixed(1)})`
  )
  if (median(ratios) > WANTED) {
    console.error(`NOT MET: more than ${WANTED} times as late`)
    process.exitCode = 1
  }
}

receiver.stop()
await node.stop()
await db.close()
await database.close()
