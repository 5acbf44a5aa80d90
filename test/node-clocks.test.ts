// A node whose clock differs from that of the database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'
import { OPERATOR_TOKEN } from './service-here.ts'
import { until } from './until.ts'

const { url } = await testDatabase()

test('over two seconds doctor and the metric have the figure; over thirty nothing is signed and the node is not ready', async (t) => {
  const offset = { ms: 5_000 }
  const service = await startService(url, { background: true, nodeNowMs: () => Date.now() + offset.ms })
  t.after(service.stop)
  const ready = async () => {
    const response = await fetch(`${service.url}/readyz`)
    return { status: response.status, body: (await response.json()) as { checks: Record<string, string> } }
  }
  const metric = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^perennial_clock_offset_seconds (\S+)$/m.exec(text)?.[1])
  }
  const store = await service.aStore()
  const receiver = await aReceiver()
  const endpoint = await service.admin('POST', `${store.at}/webhooks`, {
    url: receiver.url,
    events: ['member.created', 'store_credit.added']
  })
  receiver.secret = endpoint.secret
  const listener = await service.admin('POST', `${store.at}/webhook-listeners`, { events: ['store_credit.added'] })
  /** What `perennial listen` does. */
  const fetched = () =>
    fetch(`${service.url}/admin/api${store.at}/webhook-listeners/${listener.id}/fetch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ wait_seconds: 20, max: 8 })
    })

  // Five seconds: everything works, and it is said.
  const { customer } = await store.member('ada@example.com')
  await until('the webhook', () => receiver.received.length > 0)
  const { warnings } = await service.admin('POST', '/doctor', {})
  const found = warnings.find(({ check }: { check: string }) => check === 'clocks_agree')
  assert.match(found.message, /^This machine's clock is [45]\.\d s ahead of the database's/)
  assert.ok(Math.abs((await metric()) - 5) < 1)
  assert.deepEqual(await ready(), { status: 200, body: { status: 'ok', checks: { database: 'ok', clock: 'ok' } } })

  offset.ms = -45_000
  await service.clock.measure()
  const heard = receiver.received.length
  const { working, problems } = await service.admin('GET', '/status')
  assert.deepEqual([working, problems[0].kind, problems[0].store], [false, 'clock_apart', null])
  assert.match(
    problems[0].message,
    /^This machine's clock is 4[45]\.\d s behind the database's: until they agree, no webhook is signed/
  )
  // A move of the clock ends with it.
  const moved = await store.advance({ by: 'PT1S' })
  assert.equal(moved.problems[0].kind, 'clock_apart')
  const { status, body } = await ready()
  assert.equal(status, 503)
  assert.match(body.checks.clock!, /^This machine's clock is 4[45]\.\d s behind the database's/)
  assert.equal(body.checks.database, 'ok')
  const added = await service.post(`/store-credits/${customer.id}/add`, store.key, { amount: 5, reason: 'Late parcel' })
  assert.equal(added.status, 200, 'what needs no signature goes on')
  await until('the delivery waits', async () => {
    const { data } = await service.admin('GET', `${store.at}/webhook-deliveries`)
    return data.some((delivery: { event: string }) => delivery.event === 'store_credit.added')
  })
  const refused = await fetched()
  assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) >= 1], [503, true])
  // Far longer than a delivery takes to begin.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal(receiver.received.length, heard, 'nothing was signed')

  offset.ms = 0
  await service.clock.measure()
  await until('it is sent', () => receiver.events().includes('store_credit.added'))
  assert.equal((await ready()).status, 200)
  assert.deepEqual((await service.admin('GET', '/status')).problems, [])
  const [own] = ((await (await fetched()).json()) as { data: { event: string }[] }).data
  assert.equal(own?.event, 'store_credit.added', 'a listener has its own now')
  const { raw, signed } = receiver.received.at(-1)!
  assert.ok(signed)
  assert.ok(Math.abs(Number(raw.headers['webhook-timestamp']) - Date.now() / 1000) < 30)
})

test('a signature has the time of the database, which granted the lease, and not that of the node', async (t) => {
  const service = await startService(url)
  t.after(service.stop)
  const store = await service.aStore()
  const receiver = await aReceiver()
  const endpoint = await service.admin('POST', `${store.at}/webhooks`, {
    url: receiver.url,
    events: ['member.created']
  })
  receiver.secret = endpoint.secret
  const nowSeconds = Date.now() / 1000
  // Of this process, which is the node, and not of the database.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
  await store.member('grace@example.com')
  t.mock.timers.reset()
  const sentAt = Number(receiver.received[0]!.raw.headers['webhook-timestamp'])
  assert.ok(Math.abs(sentAt - nowSeconds) < 60, `${sentAt - nowSeconds} s ahead`)
})
