// `perennial listen` and `perennial trigger`, each as a process against the running service with its engines.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type Fact, record } from '#kit/outbox'
import { sql } from '#kit/postgres'
import { closeSilentListeners, EVENT_TYPES } from '#webhooks'
import { aCertificate } from './certificates.ts'
import { commandLine } from './command-line.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { db, url } = await testDatabase()
let service = await startService(url, { background: true })
const { run, json, start } = commandLine(service)

const fact = (n: number, name = 'subscription.paused'): Fact => ({
  name,
  orderingKey: `subscription:${n}`,
  data: { subscription_id: `sub_${n}`, note: 'Ünïcode ✓' }
})

async function aShop() {
  const { domain, storeId } = await service.aStore()
  const store = ['--store', domain as string]
  const recordFacts = async (...facts: Fact[]) => {
    await db.inStore(storeId, (ctx) => record(ctx, ...facts))
    service.deps.wake(storeId)
  }
  const listen = async (...flags: string[]) => {
    const listener = start('listen', ...store, ...flags)
    const [, secret] = await listener.line(/(whsec_[A-Za-z0-9+/]+=)/)
    return { ...listener, secret: secret! }
  }
  return {
    domain: domain as string,
    store,
    recordFacts,
    listen,
    history: async (...flags: string[]) => (await json('webhook', 'deliveries', ...store, ...flags)).data.reverse(),
    listed: async () => (await json('webhook', 'list', ...store)).data,
    /** Makes a minute of real time pass for the store's listeners and their deliveries. */
    aMinutePasses: () =>
      db.inStore(storeId, async ({ tx }) => {
        await tx.run(sql`
          update webhook_endpoints set listening_until = listening_until - interval '61 seconds'
           where store_id = ${storeId} and kind = 'listener'`)
        await tx.run(sql`
          update webhook_queue set leased_until = leased_until - interval '61 seconds' where store_id = ${storeId}`)
      })
  }
}

/** A receiver that responds only when the test says so. */
async function aSlowReceiver() {
  const held: (() => void)[] = []
  const receiver = await aReceiver()
  const server = receiver.server
  server.prependListener('request', (_, response) => {
    const end = response.end.bind(response)
    response.end = ((...args: []) => {
      held.push(() => end(...args))
      return response
    }) as typeof response.end
  })
  return { ...receiver, held }
}

test('each delivery is forwarded exactly as signed, printed in two lines, and recorded in the history', async () => {
  const shop = await aShop()
  let responseStatus = 200
  const receiver = await aReceiver(() => responseStatus)
  const listener = await shop.listen('--forward-to', receiver.url.replace('http://', ''))
  receiver.secret = listener.secret
  assert.match(listener.lines[0]!, new RegExp(`^Listening to ${shop.domain} as we_\\d+: every event, until Ctrl-C\\.$`))
  assert.match(listener.lines[1]!, /^Deliveries go to http:\/\/127\.0\.0\.1:\d+\/hooks, one attempt each\.$/)

  await shop.recordFacts(fact(12))
  const [, webhookId] = await listener.line(/^--> subscription\.paused (wh_[0-9a-f]{32}) \(sub_12\)$/)
  await listener.line(new RegExp(`^<-- 200 in \\d+ ms \\(${webhookId}\\)$`))
  const [received] = receiver.received
  assert.ok(received!.signed)
  assert.equal(received!.data.note, 'Ünïcode ✓')
  const { body, headers } = received!.raw
  assert.equal(String(body), (await json('webhook', 'delivery', webhookId!, ...shop.store)).body)
  assert.deepEqual(Object.keys(headers).sort(), [
    ...['connection', 'content-length', 'content-type', 'host', 'user-agent', 'webhook-id', 'webhook-signature'],
    ...['webhook-timestamp', 'x-svc-sequence', 'x-svc-signature']
  ])

  responseStatus = 503
  await shop.recordFacts(fact(12, 'subscription.resumed'))
  await listener.line(/^<-- 503 in \d+ ms \(wh_[0-9a-f]{32}\)$/)
  responseStatus = 200
  // Delivered twice: the second time resent manually, once the first is in the history.
  await until('the delivery has ended', async () => (await shop.history()).at(-1).status !== 'retrying')
  const failed = (await shop.history()).at(-1)
  assert.deepEqual([failed.status, failed.tries, failed.failure], ['failed', 1, 'status'])
  await run(['webhook', 'resend', failed.webhook_id, ...shop.store])
  await listener.line(new RegExp(`^--> subscription\\.resumed ${failed.webhook_id} \\(sub_12\\)$`))
  await listener.line(/^<-- 200 in /)

  const shown = await run(['webhook', 'deliveries', ...shop.store])
  assert.match(shown.out, /subscription\.paused +sub_12 +we_\d+ \(listener\) +delivered +1 +200 in \d+ ms/)
  assert.match((await run(['webhook', 'list', ...shop.store])).out, /we_\d+ +perennial listen +all +enabled/)
  assert.equal(await listener.end('SIGINT'), 0)
  assert.deepEqual(await shop.listed(), [])
  assert.ok(
    listener.lines.every((line) => !line.includes('\u001b')),
    'colours are for terminals'
  )
})

test('deliveries keep their order per object, eight at a time, and a slow one does not hold up other objects', async () => {
  const shop = await aShop()
  const receiver = await aSlowReceiver()
  const listener = await shop.listen('--forward-to', receiver.url)
  const arrived = () => receiver.received.map((h) => `${h.data.subscription_id} ${h.event.split('.')[1]}`)
  await shop.recordFacts(fact(1), fact(1, 'subscription.resumed'), ...Array.from({ length: 8 }, (_, i) => fact(i + 2)))
  for (let n = 0; n < 8; n++) await listener.line(/^-->/)
  await until('requests arrive', () => receiver.held.length >= 8)
  assert.deepEqual(
    new Set(arrived()),
    new Set([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `sub_${n} paused`)),
    'the ninth waits for a free slot, the second of sub_1 for the first'
  )
  const slow = receiver.received.findIndex((h) => h.data.subscription_id === 'sub_1')
  const [first] = receiver.held.splice(slow, 1)
  for (const respond of receiver.held.splice(0)) respond()
  await listener.line(/^--> subscription\.paused wh_\w+ \(sub_9\)$/)
  await until('requests arrive', () => receiver.held.length >= 1)
  assert.equal(arrived().includes('sub_1 resumed'), false)
  first!()
  await listener.line(/^--> subscription\.resumed wh_\w+ \(sub_1\)$/)
  await until('requests arrive', () => receiver.held.length >= 2)
  for (const respond of receiver.held.splice(0)) respond()
  for (let n = 0; n < 2; n++) await listener.line(/^<-- 204/)
  assert.equal(await listener.end('SIGTERM'), 0)
  assert.equal((await shop.history('--status', 'delivered')).length, 10)
})

test('the delivery of a killed listener is recorded as interrupted, and other deliveries do not wait for it', async () => {
  const shop = await aShop()
  const [slow, other] = [await aSlowReceiver(), await aReceiver()]
  await json('webhook', 'create', ...shop.store, '--url', other.url)
  const listener = await shop.listen('--forward-to', slow.url)
  await shop.recordFacts(fact(1), fact(1, 'subscription.resumed'))
  await listener.line(/^-->/)
  await until('requests arrive', () => other.received.length >= 2)
  await listener.end('SIGKILL')
  await shop.aMinutePasses()
  await closeSilentListeners(db)
  assert.deepEqual(
    (await shop.history())
      .filter((d: any) => d.endpoint_kind === 'listener')
      .map((d: any) => [d.status, d.cancelled, d.tries, d.failure]),
    [
      ['failed', false, 1, 'interrupted'],
      ['failed', true, 0, null]
    ]
  )
  assert.equal((await shop.history('--status', 'delivered')).length, 2)
})

test('a listener continues after a restart of the service, and its delivery in progress counts', async () => {
  const shop = await aShop()
  const receiver = await aSlowReceiver()
  const listener = await shop.listen('--forward-to', receiver.url, '--json')
  await shop.recordFacts(fact(1))
  await until('requests arrive', () => receiver.held.length >= 1)
  const port = Number(new URL(service.urls.public).port)
  await service.stop()
  await listener.line(/^No service is running at .*\. Retrying until it is available\.$/)
  receiver.held.shift()!()
  await listener.line(/^\{"webhook_id":/)
  service = await startService(url, { background: true, port })
  await listener.line(/^The service is available again\.$/)
  await shop.recordFacts(fact(1, 'subscription.resumed'))
  await until('requests arrive', () => receiver.held.length >= 1)
  receiver.held.shift()!()
  const { input } = await listener.line(/^\{"webhook_id":.*"subscription\.resumed"/)
  const { response_time_ms, payload, webhook_id, ...rest } = JSON.parse(input)
  assert.deepEqual(rest, {
    event: 'subscription.resumed',
    object: 'sub_1',
    test: false,
    response_code: 204,
    failure: null,
    problem: null,
    response_body: ''
  })
  assert.equal(payload.webhook_id, webhook_id)
  assert.equal(await listener.end('SIGINT'), 0)
  assert.deepEqual(
    (await shop.history()).map((d: any) => d.status),
    ['delivered', 'delivered']
  )
})

test('a listener that was closed on the server is opened again with a new secret', async () => {
  const shop = await aShop()
  const listener = await shop.listen('--events', 'subscription.paused')
  await shop.aMinutePasses()
  await closeSilentListeners(db)
  await listener.line(/^The service had closed this listener.*a new secret/)
  const [, secret] = await listener.line(/(whsec_\S+)/)
  assert.notEqual(secret, listener.secret)
  await shop.recordFacts(fact(3), fact(3, 'subscription.resumed'))
  await listener.line(/^--> subscription\.paused wh_\w+ \(sub_3\)$/)
  assert.equal((await shop.listed()).length, 1)
  assert.equal(await listener.end('SIGINT'), 0)
  const [printed, ...others] = await shop.history()
  assert.deepEqual([printed.status, printed.response_code, others.length], ['delivered', 200, 0])
})

test('an unreachable receiver or a self-signed certificate gives a clear error', async (t) => {
  const shop = await aShop()
  const { key, cert } = aCertificate({ hosts: ['127.0.0.1'] })
  const server = createServer({ key, cert }, (request, response) =>
    request.resume().on('end', () => response.end('ok'))
  )
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const [strict, insecure] = [
    await shop.listen('--forward-to', at),
    await shop.listen('--forward-to', at, '--insecure')
  ]
  await shop.recordFacts(fact(1))
  await strict.line(/^<-- no response: TLS: self-signed certificate \(--insecure accepts any certificate\) \(wh_/)
  await insecure.line(/^<-- 200 in/)
  await strict.end('SIGINT')
  server.close()
  server.closeAllConnections()
  await shop.recordFacts(fact(2))
  await insecure.line(/^<-- no response: connection refused by 127\.0\.0\.1:\d+: is the receiver running\? \(wh_/)
  assert.equal(await insecure.end('SIGINT'), 0)
  assert.deepEqual(
    (await shop.history('--status', 'failed')).map((d: any) => d.failure),
    ['tls', 'connect']
  )
})

test('trigger sends a sample to every endpoint of the type, and says if there is none', async () => {
  const shop = await aShop()
  const nobody = await run(['trigger', 'billing.failed', ...shop.store])
  assert.equal(nobody.code, 0)
  assert.match(
    nobody.out,
    /^No endpoint or listener in shop-\w+\.example receives billing\.failed: nothing was sent\.\nTo start a listener/
  )
  const receiver = await aReceiver()
  await json('webhook', 'create', ...shop.store, '--url', receiver.url, '--events', 'billing.failed')
  const listener = await shop.listen()
  const sent = await run(['trigger', 'billing.failed', ...shop.store])
  assert.match(sent.out, /^A sample of billing\.failed is queued for:\n {2}wh_\w+ {2}we_\d+\n {2}wh_\w+ {2}we_\d+ \(/)
  await listener.line(/^--> billing\.failed wh_\w+ \(test\)$/)
  await until('requests arrive', () => receiver.received.length > 0)
  assert.deepEqual(Object.keys(await json('trigger', 'member.created', ...shop.store)), [
    'event',
    'listeners_only',
    'data'
  ])
  assert.equal(await listener.end('SIGINT'), 0)
})

for (const [what, args, expected] of [
  ['a store that is none', ['listen', '--store', 'nope.example'], /There is no store nope\.example/],
  [
    'a receiver that is no address',
    ['listen', '--store', 'a', '--forward-to', 'ftp://x'],
    /forward-to.*localhost:4000/
  ],
  ['an event type that is none', ['listen', '--store', '{store}', '--events', 'x'], /"x" is not one of/],
  ['a sample of no type', ['trigger', '--store', 'a.example'], /<event> is required: an event type/],
  ['a sample of an unknown type', ['trigger', 'x', '--store', '{store}'], new RegExp(EVENT_TYPES.join(', '))]
] as const) {
  test(`${what} is one clear error`, async () => {
    const domain = args.some((arg) => arg === '{store}') ? (await aShop()).domain : ''
    const { code, out } = await run([...args.map((arg) => arg.replace('{store}', domain)), '--json'])
    assert.equal(code, 1)
    assert.match(JSON.parse(out).error.message, expected)
  })
}

beforeDrop(() => service.stop())
