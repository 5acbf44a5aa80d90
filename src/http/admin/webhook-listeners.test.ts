import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { EVENT_TYPES } from '#webhooks'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { aFact, aReceiver, aSendingStore } from '../../webhooks/receiver.test-helper.ts'
import { OPERATOR_TOKEN, testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { admin, calls, app } = testServer(db)
type Method = Parameters<typeof admin>[0]

const adminOf =
  (store: { storeId: number }, ask: typeof admin = admin) =>
  async (method: Method, path: string, body?: object) => {
    const response = await ask(method, `/stores/store_${store.storeId}${path}`, body)
    return { status: response.statusCode, body: response.json() }
  }
const NOW = { wait_seconds: 0, max: 8 }

test('a listener opens, fetches, reports and closes', async () => {
  const store = await aSendingStore(db)
  const call = adminOf(store)
  const opened = await call('POST', '/webhook-listeners', { events: ['subscription.paused'] })
  assert.equal(opened.status, 201)
  const { id, secret, listening_until, ...rest } = opened.body
  assert.match(secret, /^whsec_/)
  assert.ok(Date.parse(listening_until) > Date.now())
  assert.deepEqual(rest, { events: ['subscription.paused'], all_events: false })
  const [shown] = (await call('GET', '/webhooks')).body.data
  assert.deepEqual([shown.id, shown.kind, shown.url], [id, 'listener', 'listen:'])

  const at = `/webhook-listeners/${id}`
  assert.deepEqual(await call('POST', `${at}/fetch`, NOW), { status: 200, body: { data: [] } })
  await store.record(aFact(7))
  await store.settle()
  // Another process of the service serves the rest: nothing of it is in memory.
  const second = adminOf(store, testServer(db).admin)
  const [fetched] = (await second('POST', `${at}/fetch`, NOW)).body.data
  assert.deepEqual(Object.keys(fetched), ['webhook_id', 'event', 'object', 'test', 'body', 'headers', 'handle'])
  assert.deepEqual([fetched.object, fetched.headers['content-type']], ['sub_7', 'application/json'])
  const result = { handle: fetched.handle, duration_ms: 3, response_code: 201, failure: null, response_text: 'hello' }
  for (const ask of [call, second]) {
    assert.deepEqual(await ask('POST', `${at}/results`, { results: [result] }), { status: 200, body: { taken: 1 } })
  }
  const [delivery] = (await call('GET', '/webhook-deliveries')).body.data
  assert.deepEqual(
    [delivery.endpoint, delivery.endpoint_kind, delivery.status, delivery.tries, delivery.response_code],
    [id, 'listener', 'delivered', 1, 201]
  )
  assert.deepEqual(await call('DELETE', at), { status: 200, body: { id, closed: true } })
  assert.equal((await call('DELETE', at)).status, 404)
  assert.equal((await call('POST', `${at}/fetch`, NOW)).status, 404)
  assert.deepEqual((await call('GET', '/webhooks')).body.data, [])
})

test('a listener that disconnects while it waits gets nothing, and the stop of the server does not wait for one', async () => {
  const store = await aSendingStore(db)
  const own = testServer(db)
  await own.app.listen({ port: 0, host: '127.0.0.1' })
  const { id } = (await adminOf(store)('POST', '/webhook-listeners', {})).body
  const until = () =>
    store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ until: text }),
        sql`select listening_until::text as until from webhook_endpoints where store_id = ${storeId}`
      )
    )
  /** A request that waits for deliveries, once it waits, which extends the time for which the listener is open. */
  const waiting = async () => {
    const before = await until()
    const polling = request({
      method: 'POST',
      host: '127.0.0.1',
      port: (own.app.server.address() as AddressInfo).port,
      path: `/admin/api/stores/store_${store.storeId}/webhook-listeners/${id}/fetch`,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
    })
    polling.end(JSON.stringify({ wait_seconds: 25, max: 8 }))
    while ((await until()).until === before.until);
    return polling
  }

  const leaving = await waiting()
  leaving.on('error', () => {}).destroy()
  await store.record(aFact(1))
  await store.settle()
  const fetched = await adminOf(store)('POST', `/webhook-listeners/${id}/fetch`, { wait_seconds: 5, max: 8 })
  assert.equal(fetched.body.data.length, 1)

  const polling = await waiting()
  const responding = once(polling, 'response')
  const closed = own.app.close()
  const [response] = await responding
  assert.equal(response.resume().statusCode, 200)
  await closed
})

test('another store’s listener is as unknown as none, and an endpoint is not a listener', async () => {
  const [mine, other] = [adminOf(await aStore(db)), await aSendingStore(db)]
  const { id } = (await adminOf(other)('POST', '/webhook-listeners', {})).body
  const endpoint = (await mine('POST', '/webhooks', { url: 'https://93.184.216.34/' })).body.id
  const results = [{ handle: 'x', duration_ms: 1, response_code: 200, failure: null, response_text: '' }]
  for (const listener of [id, endpoint, 'we_999999', 'nonsense']) {
    for (const [method, path, body] of [
      ['POST', '/fetch', NOW],
      ['POST', '/results', { results }],
      ['DELETE', '', undefined]
    ] as [Method, string, object | undefined][]) {
      const { status } = await mine(method, `/webhook-listeners/${listener}${path}`, body)
      assert.equal(status, 404, `${method} ${listener}${path}`)
    }
  }
})

test('a sample is triggered for all listeners of its type', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  const call = adminOf(store)
  const trigger = (event: string) => call('POST', '/webhook-samples', { event })
  assert.deepEqual(await trigger('billing.failed'), {
    status: 202,
    body: { event: 'billing.failed', listeners_only: false, data: [] }
  })
  const { id } = await store.anEndpoint({ url: receiver.url })
  const triggered = await trigger('billing.failed')
  assert.deepEqual(
    triggered.body.data.map((d: { endpoint: string; test: boolean }) => [d.endpoint, d.test]),
    [[id, true]]
  )
  assert.deepEqual(calls.at(-1), ['wake', store.storeId])
  await store.settle()
  assert.equal(receiver.received.length, 1)
})

test('what cannot be used is refused by name, with what it takes', async () => {
  const call = adminOf(await aStore(db))
  const { id } = (await call('POST', '/webhook-listeners', {})).body
  const result = { handle: 'x', duration_ms: 1, response_code: 200, failure: null, response_text: '' }
  for (const [path, body, message] of [
    ['/webhook-listeners', { events: ['x'] }, /^events must be event types: "x" is not one of subscription\./],
    ['/webhook-listeners', { url: 'x' }, /^url is not a field here; this body accepts events/],
    [`/webhook-listeners/${id}/fetch`, { wait_seconds: 26, max: 8 }, /^wait_seconds must be a whole number/],
    [`/webhook-listeners/${id}/fetch`, { wait_seconds: 1, max: 21 }, /^max must be an integer from 1 to 20/],
    [`/webhook-listeners/${id}/results`, { results: [] }, /^results must be a list of 1 to 50 results/],
    [
      `/webhook-listeners/${id}/results`,
      { results: [{ ...result, failure: 'ill' }] },
      /^results\[0\]\.failure must be why .* \(timeout, .*\) or null$/
    ],
    [`/webhook-listeners/${id}/results`, { results: [result] }, /^results has a handle that was not given/],
    ['/webhook-samples', {}, `event is required and must be one of ${EVENT_TYPES.join(', ')}`],
    ['/webhook-samples', { event: 'x' }, /"x" is not one of .*store_credit\.deducted$/]
  ] as [string, object, string | RegExp][]) {
    const refused = await call('POST', path, body)
    assert.equal(refused.status, 400, `${path} ${JSON.stringify(refused.body)}`)
    if (typeof message === 'string') assert.equal(refused.body.error.message, message)
    else assert.match(refused.body.error.message, message)
  }
  assert.equal((await app.inject({ method: 'POST', url: `/admin/api/stores/x/webhook-listeners` })).statusCode, 401)
})
