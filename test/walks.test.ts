// The walks through three flows in ARCHITECTURE.md are what really runs, and stay as short as they are.
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { setClock, storeByDomain } from '#stores'
import { MODULES } from '../scripts/import-rules/tree.ts'
import { emptyRecording, filesRunBy, type Recording, recordCalls, watchCalls } from './call-recorder.ts'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db, deps } = service
const page = await readFile(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8')

const engine = (name: string) => service.engines.find((e) => e.name === name)!

type Run = (work: () => Promise<unknown>) => Promise<void>

/** A store with a member of a plan that issues store credit, whose webhook endpoint receives everything. */
async function aStoreWithMember() {
  const store = await service.aStore()
  await service.admin('POST', `${store.at}/plans`, {
    name: 'Gold',
    type: 'vip',
    price: '29.00',
    interval: 'month',
    credit: '5.00'
  })
  const receiver = await aReceiver()
  await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  await store.member('ada@example.com', 'Gold')
  await deps.settle(store.storeId)
  const { body } = await service.get('/subscriptions', store.key)
  const [{ id, next_billing_date: dueAt }] = body.data
  return { ...store, receiver, subscription: { id, dueAt: Temporal.Instant.from(dueAt) } }
}

async function pause(run: Run) {
  const { storeId, key, receiver, subscription } = await aStoreWithMember()
  await run(async () => {
    const { status } = await service.post(`/subscriptions/${subscription.id}/pause`, key, { duration: 5 })
    assert.equal(status, 200)
  })
  await engine('facts').runOnce(storeId)
  await run(() => engine('facts:webhooks').runOnce(storeId))
  await run(async () => {
    await engine('deliveries').runOnce(storeId)
    await until('the webhook of the pause', () => receiver.events().includes('subscription.paused'))
  })
  await deps.settle(storeId)
}

async function chargeResult(run: Run) {
  const { storeId, receiver, subscription } = await aStoreWithMember()
  await db.inStore(storeId, (ctx) => setClock(ctx, subscription.dueAt))
  await engine('billing').runOnce(storeId)
  while ((await engine('sandbox').runOnce(storeId)) > 0);
  // The platform also reports the order, and does so by messages of their own.
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`
      update inbound_webhooks set status = 'done'
       where store_id = ${storeId} and status = 'waiting' and topic not like 'subscription_billing_attempts/%'`)
  )
  await run(() => engine('inbound').runOnce(storeId))
  await deps.settle(storeId)
  const settled = receiver
    .events()
    .filter((event: string) => event === 'billing.success' || event === 'store_credit.added')
  assert.deepEqual(settled.sort(), ['billing.success', 'store_credit.added', 'store_credit.added'])
}

async function inboundRequest(run: Run) {
  const store = await service.aStore()
  const { appSecret } = (await storeByDomain(db, testVault, store.domain))!
  const body = JSON.stringify({ id: 1 })
  await run(async () => {
    const response = await fetch(`${service.urls.public}/platform/webhooks`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-platform-topic': 'orders/paid',
        'x-platform-shop-domain': store.domain,
        'x-platform-webhook-id': randomUUID(),
        'x-platform-hmac-sha256': createHmac('sha256', appSecret).update(body).digest('base64')
      },
      body
    })
    assert.equal(response.status, 200)
    await response.json()
  })
}

/** Requests that have nothing to do with these flows: what they run of http/, app/, stores/ and requests/ is what every request passes. */
async function otherRequests() {
  const store = await aStoreWithMember()
  const { body } = await service.get('/members', store.key)
  await fetch(`${service.urls.public}/livez`)
  return filesRunBy(async () => {
    const { status } = await service.patch(`/members/${body.data[0].id}`, store.key, { loyalty_points: 5 })
    assert.equal(status, 200)
    await fetch(`${service.urls.public}/livez`)
  })
}

/**
 * What moves each flow on: the tables whose rows lead from its beginning to its end, and the requests that it sends. What is
 * written beside that is not the way to the end.
 */
const FLOWS = [
  {
    title: 'A pause requested by REST, until the webhook leaves',
    limit: 12,
    flow: pause,
    steps: ['subscriptions', 'facts', 'webhook_deliveries', 'webhook_queue', 'POST']
  },
  {
    title: "A charge's result, until it is settled",
    limit: 17,
    flow: chargeResult,
    steps: ['inbound_webhooks', 'POST', 'orders', 'billing_attempts', 'subscriptions', 'credit_entries', 'facts']
  },
  {
    title: 'A request from the platform to the inbound webhook endpoint',
    limit: 10,
    flow: inboundRequest,
    steps: ['inbound_webhooks']
  }
]

/** The files through which a step is taken: those that take it, and those that call them. */
function filesOfSteps({ files, calls, effects }: Recording, steps: string[]): string[] {
  const found = new Set([...effects].filter(([, done]) => steps.some((step) => done.has(step))).map(([file]) => file))
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const [caller, callee] of calls) if (found.has(callee)) found.add(caller)
  }
  return files.filter((file) => found.has(file))
}

const moduleOf = (file: string) => file.split('/')[0]!
const ORDER = [...MODULES, 'http', 'app']

/** What the page says: the files of the walk, the other files that its steps name, and the crossings. */
function walkOnPage(title: string) {
  const [, section] = page.split(`### ${title}\n`)
  assert.ok(section, `ARCHITECTURE.md has no walk "${title}"`)
  const [text] = section.split(/\n##/)
  const [summary, ...items] = text!.split(/\n\d+\. /)
  const named = items.map((item) => [...item.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file!))
  const [, files, crossings] = summary!.match(/(\d+) files, (\d+) crossings?:/) ?? []
  return {
    walk: named.map(([first]) => first!),
    others: named.flatMap(([, ...rest]) => rest).sort(),
    files: Number(files),
    crossings: Number(crossings)
  }
}

const listed = (problem: string, files: string[]) => `${problem}:\n${files.join('\n')}`

const ofEveryRequest = await otherRequests()

for (const { title, limit, flow, steps } of FLOWS) {
  test(`ARCHITECTURE.md: ${title}`, async () => {
    await flow(watchCalls)
    const recording = emptyRecording()
    await flow((work) => recordCalls(recording, work))
    const isOfEveryRequest = (file: string) => /^(http|app|stores|requests)\//.test(file) && ofEveryRequest.has(file)
    const walk = filesOfSteps(recording, steps).filter((file) => !isOfEveryRequest(file))
    const others = recording.files.filter((file) => !walk.includes(file) && !isOfEveryRequest(file)).sort()
    if (process.env.SHOW_WALKS) console.log({ title, walk, others, all: recording.files.filter(isOfEveryRequest) })

    const crossings = new Set<string>()
    for (const [from, to] of recording.calls) {
      const [caller, callee] = [moduleOf(from), moduleOf(to)]
      if (!walk.includes(from) || !walk.includes(to) || caller === callee) continue
      assert.ok(ORDER.indexOf(callee) < ORDER.indexOf(caller), `${from} calls back up to ${to}`)
      crossings.add(`${caller} → ${callee}`)
    }
    if (process.env.SHOW_WALKS) console.log([...crossings])
    // A module that no other one calls, apart from the first, was reached by a fact.
    const called = new Set([...crossings].map((crossing) => crossing.split(' → ')[1]!))
    const byFact = [...new Set(walk.map(moduleOf))].slice(1).filter((module) => !called.has(module))
    assert.ok(walk.length <= limit, listed(`More than ${limit} files`, walk))
    const onPage = walkOnPage(title)
    assert.deepEqual(onPage.walk, walk, listed('The numbered files on the page are not those that ran', walk))
    assert.deepEqual(onPage.others, others, listed('The files in parentheses are not those that ran', others))
    assert.deepEqual([onPage.files, onPage.crossings], [walk.length, crossings.size + byFact.length])
  })
}
