// The whole service on a line to its database that stalls. Its limits are a fifth of the real ones.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { int, row, scaledLimits, sql } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { OPERATOR_TOKEN, type ServiceOnItsOwn, startService } from './service-builder.ts'
import { aStallingProxy } from './stalling-proxy.ts'
import { until } from './until.ts'

const { db, url } = await testDatabase()
const LIMITS = scaledLimits(0.2)
/** The longest of a request's waits (a fifth of nine seconds), and room for a machine that is busy. */
const ANSWERED_WITHIN_MS = 20_000

async function aNode(t: TestContext, options: Parameters<typeof startService>[1] = {}) {
  const line = await aStallingProxy(url)
  const service = await startService(line.url, { limits: LIMITS, ...options })
  t.after(async () => {
    line.pass()
    await service.stop()
    line.close()
  })
  return { line, service }
}

type Response = { status: number; headers: Headers; body: any; ms: number }

async function ask(url: string, options: RequestInit = {}): Promise<Response> {
  const from = performance.now()
  const response = await fetch(url, options)
  const body = await response.json()
  return { status: response.status, headers: response.headers, body, ms: performance.now() - from }
}

/** One request to each surface, by name. The requests of a customer and of the platform have wrong signatures. */
function requestsTo(service: ServiceOnItsOwn, key: string, shop: string, customerId: string) {
  const { public: at } = service.urls
  const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
  const hmac = createHmac('sha256', 'wrong').update('{}').digest('base64')
  return {
    read: () => ask(`${at}/v1/members`, { headers: bearer(key) }),
    write: (idempotencyKey: string) =>
      ask(`${at}/v1/store-credits/${customerId}/add`, {
        method: 'POST',
        headers: { ...bearer(key), 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ amount: 5, reason: 'Sorry for the late parcel' })
      }),
    admin: () => ask(`${at}/admin/api/stores`, { headers: bearer(OPERATOR_TOKEN) }),
    storefront: () => ask(`${at}/apps/svc-api/v1/membership/churn/1/cancellation?shop=new-${shop}`, { method: 'POST' }),
    platform: () =>
      ask(`${at}/platform/webhooks`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-platform-topic': 'orders/paid',
          'x-platform-shop-domain': `new-${shop}`,
          'x-platform-webhook-id': '1',
          'x-platform-hmac-sha256': hmac
        },
        body: '{}'
      }),
    sandbox: () =>
      ask(`${service.urls.sandbox}/${shop}/session`, {
        method: 'POST',
        body: new URLSearchParams({ email: 'bo@example.com' })
      }),
    ready: () => ask(`${at}/readyz`),
    alive: () => ask(`${at}/livez`)
  }
}

async function aStoreWithMember(service: ServiceOnItsOwn) {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await service.admin('POST', `${store.at}/clock/advance`, { by: 'PT1M' })
  const { body } = await service.get('/members', store.key)
  const customerId = customer.id
  const requests = requestsTo(service, store.key, store.domain, customerId)
  return { store, customerId, memberId: body.data[0].id as string, requests }
}

const AWAY = /^The database does not respond at the moment\. Repeat the request .* is not known$/
/** Of those that got no connection, since all of them stall. */
const BUSY = /^The service is busy, and nothing was changed/

test('while the line stalls every surface answers 503 with Retry-After in its own shape, and all goes on by itself', async (t) => {
  const { line, service } = await aNode(t, { background: true })
  const { store, memberId, requests } = await aStoreWithMember(service)
  const receiver = await aReceiver()
  const endpoint = await service.admin('POST', `${store.at}/webhooks`, {
    url: receiver.url,
    events: ['member.updated', 'store_credit.added']
  })
  receiver.secret = endpoint.secret
  assert.equal((await requests.write('before')).status, 200)
  await until('the event', () => receiver.received.length === 1)

  line.stall()
  const { read, write, admin, storefront, platform, sandbox } = requests
  // Twice: on connections that were open, and on new ones.
  for (const round of [1, 2]) {
    const answers = await Promise.all([
      ...[read, admin, storefront, platform, sandbox].map((one) => one()),
      ...Array.from({ length: 30 }, (_, i) => write(`stalled-${round}-${i}`))
    ])
    for (const { status, headers, ms, body } of answers) {
      assert.equal(status, 503, JSON.stringify(body))
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
      assert.ok(ms < ANSWERED_WITHIN_MS, `${ms} ms`)
    }
    const [inRest, inAdmin, inStorefront, forPlatform, inSandbox] = answers.map(({ body }) => body)
    assert.equal(inRest.error.code, 'internal_error')
    assert.equal(inAdmin.error.code, 'unavailable')
    assert.deepEqual(inSandbox, { errors: 'Service Unavailable' })
    assert.equal(forPlatform.error.code, 'internal_error')
    for (const { message } of [inRest.error, inAdmin.error, forPlatform.error])
      assert.ok(AWAY.test(message) || BUSY.test(message), message)
    assert.deepEqual(Object.keys(inStorefront), ['message'])
    const [ready, alive] = await Promise.all([requests.ready(), requests.alive()])
    assert.deepEqual([ready.status, alive.status], [503, 200])
    assert.ok(ready.ms < ANSWERED_WITHIN_MS)
    assert.match(ready.body.checks.database, /^(The database did not answer|No answer|timeout)/)
  }

  line.pass()
  await until('the service is ready', async () => (await requests.ready()).status === 200)
  assert.equal((await service.patch(`/members/${memberId}`, store.key, { first_name: 'Augusta' })).status, 200)
  await until('engines work again', () => receiver.events().includes('member.updated'))
  // The clock is held with a session of its own.
  await until('the clock', () =>
    store.advance({ to: '2026-03-01T15:00:00Z' }).then(
      () => true,
      () => false
    )
  )
  const { body } = await service.get('/billing-attempts', store.key)
  assert.deepEqual(
    body.data.map((attempt: { status: string }) => attempt.status),
    ['success']
  )
  const { findings } = await service.admin('POST', '/doctor', {})
  assert.deepEqual(findings, [])
})

test('work that another node reports is heard again after a stall: the worker listens on a new connection', async (t) => {
  const web = await startService(url, { role: 'web', background: true })
  t.after(web.stop)
  const { line } = await aNode(t, { role: 'worker', background: true, publicUrl: web.url, pollMs: 3_600_000 })
  const { store, memberId } = await aStoreWithMember(web)
  const receiver = await aReceiver()
  const endpoint = await web.admin('POST', `${store.at}/webhooks`, { url: receiver.url, events: ['member.updated'] })
  receiver.secret = endpoint.secret
  // A transaction of the worker that was under way at the stall has its rows locked until the worker gives its connection up.
  const rename = (name: string) =>
    until(
      `the name ${name}`,
      async () => (await web.patch(`/members/${memberId}`, store.key, { first_name: name })).status === 200
    )
  await rename('Augusta')
  await until('the first webhook', () => receiver.received.length === 1)
  const listeners = async () =>
    (await db.session().then(async (session) => {
      await session.query('reset role')
      const { rows } = await session.query(
        "select pid from pg_stat_activity where datname = current_database() and application_name = 'perennial' and query like '%pg_locks%'"
      )
      await session.end()
      return rows
    })) as { pid: number }[]
  const before = (await listeners()).map(({ pid }) => pid)

  line.stall()
  // New connections work; the one on which the worker listens stays dead until its heartbeat finds that.
  line.pass()
  await rename('Ada')
  await until('the second webhook', () => receiver.received.length === 2)
  await until('a new session', async () => (await listeners()).some(({ pid }) => !before.includes(pid)))
  await rename('Augusta Ada')
  await until('the third webhook', () => receiver.received.length === 3)
})

test('a write whose commit is not answered is 503, and its repetition with the same key returns what was done', async (t) => {
  const builder = await startService(url)
  t.after(builder.stop)
  const { store, customerId, requests } = await aStoreWithMember(builder)
  const { line, service } = await aNode(t, { role: 'web' })
  const { write } = requestsTo(service, store.key, store.domain, customerId)
  const entries = async () => {
    const { count } = await db.inInstallation((tx) =>
      tx.one(row({ count: int }), sql`select count(*) as count from credit_entries`)
    )
    return count
  }
  assert.equal((await write('first')).status, 200)
  const before = await entries()

  line.stallAtCommit()
  const unknown = await write('unknown')
  assert.equal(unknown.status, 503)
  assert.match(unknown.body.error.message, AWAY)
  assert.equal((await write('later')).status, 503)
  assert.equal(await entries(), before + 1, 'the commit was carried out, and what came later was not')

  line.pass()
  const again = await until('the database is back', async () => {
    const repeated = await write('unknown')
    return repeated.status === 200 ? repeated : null
  })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal((await write('later')).headers.get('idempotent-replayed'), null)
  assert.equal(await entries(), before + 2)
  assert.equal((await requests.read()).status, 200)
})

test('a stop ends while the line stalls and work is under way', async (t) => {
  const { line, service } = await aNode(t, { background: true })
  const { requests } = await aStoreWithMember(service)
  line.stall()
  const answers = [requests.read(), requests.write('under way'), requests.admin()]
  await until('an engine has failed', async () => (await requests.ready()).status === 503)
  const from = performance.now()
  service.db.shortenWaits(400)
  service.sandboxDb.shortenWaits(400)
  await service.stop().catch(() => {})
  assert.ok(performance.now() - from < 60_000, `${performance.now() - from} ms`)
  for (const { status, body } of await Promise.all(answers)) assert.equal(status, 503, JSON.stringify(body))
})
