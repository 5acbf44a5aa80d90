import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { listDeliveries, openListener } from '#webhooks'
import { testDatabase } from '../../../test/database.ts'
import { aStore, testVault } from '../../../test/store-builder.ts'
import { aReceiver, aSendingStore } from '../../webhooks/receiver.test-helper.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const server = testServer(db)
/** A node that no longer accepts receivers on this machine. */
const strict = testServer(db, { addresses: { loopback: false, allow: [] } })

const HOOK = 'http://127.0.0.1:4000/hook'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The direct API with a key. */
const apiOf =
  (key: string, { app } = server) =>
  async (method: Method, path: string, payload?: object, idempotencyKey?: string) => {
    const response = await app.inject({
      method,
      url: `/v1${path}`,
      headers: { authorization: `Bearer ${key}`, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
      ...(payload && { payload })
    })
    const { data, meta, error } = response.json()
    return {
      status: response.statusCode,
      data,
      meta,
      error,
      isReplayed: response.headers['idempotent-replayed'] === 'true'
    }
  }

async function aCaller(scopes?: string[]) {
  const store = await aStore(db)
  const key = await store.aKey(scopes)
  return { store, key, api: apiOf(key) }
}

test('an endpoint is created with its secret once, listed, read, changed and deleted', async () => {
  const { api } = await aCaller()
  const created = await api('POST', '/webhook-endpoints', { url: HOOK, events: ['billing.success'] })
  assert.equal(created.status, 200)
  const { secret, ...endpoint } = created.data
  assert.match(secret, /^whsec_/)
  const { id, created_at, updated_at, ...rest } = endpoint
  assert.match(id, /^we_\d+$/)
  assert.deepEqual(rest, {
    url: HOOK,
    events: ['billing.success'],
    all_events: false,
    description: '',
    status: 'enabled',
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    failed_deliveries: 0,
    previous_secret_until: null
  })
  assert.deepEqual((await api('GET', `/webhook-endpoints/${id}`)).data, endpoint)
  const other = (await api('POST', '/webhook-endpoints', { url: `${HOOK}2` })).data
  const page = await api('GET', '/webhook-endpoints?limit=1')
  assert.deepEqual(
    [page.data.map((one: { id: string }) => one.id), page.meta],
    [[other.id], { total: 2, limit: 1, offset: 0, has_more: true }]
  )
  assert.deepEqual((await api('GET', '/webhook-endpoints?offset=1')).data, [endpoint])

  const changed = await api('PATCH', `/webhook-endpoints/${id}`, { events: null, description: 'CRM' })
  assert.deepEqual([changed.data.all_events, changed.data.description, changed.data.url], [true, 'CRM', HOOK])
  assert.deepEqual((await api('DELETE', `/webhook-endpoints/${id}`)).data, { id, deleted: true })
  assert.equal((await api('GET', `/webhook-endpoints/${id}`)).status, 404)
  assert.equal((await api('GET', '/webhook-endpoints')).meta.total, 1)
})

test('what no endpoint can have is refused with its field, and changes nothing', async () => {
  const { api } = await aCaller()
  const { id } = (await api('POST', '/webhook-endpoints', { url: HOOK })).data
  for (const [body, field] of [
    [{ url: 'http://example.com/hooks' }, 'url'],
    [{ url: 'https://10.0.0.1/hooks' }, 'url'],
    [{ url: 'https://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://user:pass@example.com/' }, 'url'],
    [{ url: HOOK, events: [] }, 'events'],
    [{ url: HOOK, events: ['billing.unknown'] }, 'events'],
    [{ url: HOOK, description: 'line\nbreak' }, 'description']
  ] as const) {
    for (const [method, path] of [
      ['POST', '/webhook-endpoints'],
      ['PATCH', `/webhook-endpoints/${id}`]
    ] as const) {
      const { status, error } = await api(method, path, body)
      assert.deepEqual(
        [status, error.code, error.details[0].field],
        [400, 'invalid_request', field],
        JSON.stringify(body)
      )
    }
  }
  const { data } = await api('GET', '/webhook-endpoints')
  assert.deepEqual([data.length, data[0].url, data[0].all_events], [1, HOOK, true])
  assert.equal((await api('PATCH', `/webhook-endpoints/${id}`, {})).error.details[0].field, 'body')
})

test('a live store has no receiver on this machine', async () => {
  const store = await aStore(db, { sandbox: false, accessToken: 'token-123', appSecret: 'secret-123' })
  const { status, error } = await apiOf(await store.aKey())('POST', '/webhook-endpoints', { url: HOOK })
  assert.deepEqual([status, error.details[0].field], [400, 'url'])
})

test('a repeated creation shows the same endpoint and secret, before its address is asked for again', async () => {
  const { store, key, api } = await aCaller()
  const first = await api('POST', '/webhook-endpoints', { url: HOOK }, 'create-1')
  const again = await apiOf(key, strict)('POST', '/webhook-endpoints', { url: HOOK }, 'create-1')
  assert.deepEqual([first.isReplayed, again.isReplayed, again.status, again.data], [false, true, 200, first.data])
  assert.equal((await api('GET', '/webhook-endpoints')).meta.total, 1)
  const other = await api('POST', '/webhook-endpoints', { url: `${HOOK}/other` }, 'create-1')
  assert.deepEqual([other.status, other.error.details[0].field], [400, 'Idempotency-Key'])

  const kept = await store.inStore(({ tx, storeId }) =>
    tx.many(row({ body: text }), sql`select body from idempotent_responses where store_id = ${storeId}`)
  )
  assert.equal(kept.length, 1)
  assert.ok(!kept[0]!.body.includes(first.data.secret) && kept[0]!.body.includes(first.data.id))
})

test('a repeated change and deletion have one effect', async () => {
  const { key, api } = await aCaller()
  const { id } = (await api('POST', '/webhook-endpoints', { url: HOOK })).data
  const change = { url: `${HOOK}/new` }
  const first = await api('PATCH', `/webhook-endpoints/${id}`, change, 'change-1')
  const again = await apiOf(key, strict)('PATCH', `/webhook-endpoints/${id}`, change, 'change-1')
  assert.deepEqual([again.isReplayed, again.data], [true, first.data])
  const deleted = await api('DELETE', `/webhook-endpoints/${id}`, undefined, 'delete-1')
  const repeated = await api('DELETE', `/webhook-endpoints/${id}`, undefined, 'delete-1')
  assert.deepEqual([deleted.isReplayed, repeated.isReplayed, repeated.data], [false, true, deleted.data])
  assert.equal((await api('DELETE', `/webhook-endpoints/${id}`)).status, 404)
})

test('a secret is rolled with an overlap, shown again only to a repetition, and the overlap is ended', async () => {
  const { api } = await aCaller()
  const { id, secret } = (await api('POST', '/webhook-endpoints', { url: HOOK })).data
  const rolled = await api('POST', `/webhook-endpoints/${id}/roll`, { overlap: 2 }, 'roll-1')
  assert.match(rolled.data.secret, /^whsec_/)
  assert.notEqual(rolled.data.secret, secret)
  assert.ok(rolled.data.previous_secret_until)
  const again = await api('POST', `/webhook-endpoints/${id}/roll`, { overlap: 2 }, 'roll-1')
  assert.deepEqual([again.isReplayed, again.data], [true, rolled.data])
  assert.equal((await api('POST', `/webhook-endpoints/${id}/end-roll`)).data.previous_secret_until, null)
  const long = await api('POST', `/webhook-endpoints/${id}/roll`, { overlap: 169 })
  assert.deepEqual([long.status, long.error.details[0].field], [400, 'overlap'])
})

test('an endpoint is disabled with a reason and enabled again', async () => {
  const { api } = await aCaller()
  const { id } = (await api('POST', '/webhook-endpoints', { url: HOOK })).data
  const disabled = (await api('POST', `/webhook-endpoints/${id}/disable`, { reason: 'We move' })).data
  assert.deepEqual([disabled.status, disabled.disabled_reason], ['disabled', 'We move'])
  const refused = await api('POST', `/webhook-endpoints/${id}/test`, { event: 'billing.failed' })
  assert.deepEqual([refused.status, refused.error.code], [400, 'invalid_request'])
  assert.equal((await api('POST', `/webhook-endpoints/${id}/enable`)).data.status, 'enabled')
})

test("another store's endpoints and deliveries, and the operator's listeners, are unknown", async () => {
  const { api } = await aCaller()
  const foreign = await aCaller()
  const { id } = (await api('POST', '/webhook-endpoints', { url: HOOK })).data
  const delivery = (await api('POST', `/webhook-endpoints/${id}/test`, { event: 'billing.failed' })).data
  const listener = await foreign.store.inStore((ctx) => openListener(ctx, {}, { vault: testVault }))
  for (const endpoint of [id, listener.id, 'we_987654321']) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { description: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/enable', undefined],
      ['POST', '/disable', undefined],
      ['POST', '/roll', undefined],
      ['POST', '/end-roll', undefined],
      ['POST', '/test', { event: 'billing.failed' }],
      ['GET', '/deliveries', undefined]
    ] as const) {
      const { status, error } = await foreign.api(method, `/webhook-endpoints/${endpoint}${path}`, body)
      assert.equal(status, 404, `${method} ${path}`)
      assert.equal(error.message, `There is no webhook endpoint ${endpoint}`)
      assert.deepEqual(error.details[0].field, 'endpoint_id')
    }
  }
  assert.deepEqual((await foreign.api('GET', '/webhook-endpoints')).data, [])
  assert.equal((await foreign.api('GET', `/webhook-deliveries/${delivery.id}`)).status, 404)
  assert.equal((await foreign.api('POST', `/webhook-deliveries/${delivery.id}/resend`)).status, 404)
  assert.equal((await api('GET', `/webhook-endpoints/${id}`)).data.status, 'enabled')
})

test("what a listener of the operator gets is not among the receivers' deliveries", async () => {
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const api = apiOf(await store.aKey())
  await store.inStore((ctx) => openListener(ctx, {}, { vault: testVault }))
  await store.record({ name: 'subscription.paused', orderingKey: 'member:1', data: {}, refs: { memberId: 1 } })
  await store.settle()
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx))
  assert.deepEqual([deliveries.length, deliveries[0]!.endpointKind], [1, 'listener'])
  const { webhookId } = deliveries[0]!
  assert.equal((await api('GET', `/webhook-deliveries/${webhookId}`)).status, 404)
  assert.equal((await api('POST', `/webhook-deliveries/${webhookId}/resend`)).status, 404)
})

test('a sample is sent; deliveries are listed with exact totals by status, and resent', async () => {
  let status = 500
  const receiver = await aReceiver((_, response) => response.writeHead(status).end())
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const api = apiOf(await store.aKey())
  const { id } = (await api('POST', '/webhook-endpoints', { url: receiver.url })).data
  const quiet = (await api('POST', '/webhook-endpoints', { url: receiver.url, events: ['member.updated'] })).data
  const fact = (n: number) => ({
    name: 'subscription.paused',
    orderingKey: `member:${n}` as const,
    data: { subscription_id: `sub_${n}` },
    refs: { memberId: n }
  })
  await store.record(fact(1), fact(2))
  await store.settle()
  status = 204
  await store.record(fact(3), fact(4), fact(5))
  await store.settle()
  status = 500
  const sample = await api('POST', `/webhook-endpoints/${id}/test`, { event: 'billing.success' })
  assert.deepEqual([sample.data.status, sample.data.test, sample.data.history], ['retrying', true, []])
  await store.settle()

  const list = async (query: string, endpoint = id) => {
    const { data, meta } = await api('GET', `/webhook-endpoints/${endpoint}/deliveries${query}`)
    return [data.map((one: { event: string }) => one.event), meta.total, meta.has_more]
  }
  const paused = (times: number) => Array.from({ length: times }, () => 'subscription.paused')
  assert.deepEqual(await list(''), [['billing.success', ...paused(5)], 6, false])
  assert.deepEqual(await list('?limit=2&offset=1'), [paused(2), 6, true])
  assert.deepEqual(await list('?status=delivered'), [paused(3), 3, false])
  assert.deepEqual(await list('?status=retrying'), [paused(2), 2, false])
  assert.deepEqual(await list('?status=failed'), [['billing.success'], 1, false])
  assert.deepEqual(await list('', quiet.id), [[], 0, false])

  const failed = (await api('GET', `/webhook-deliveries/${sample.data.id}`)).data
  assert.deepEqual([failed.status, failed.history.length, failed.endpoint_id], ['failed', 1, id])
  assert.equal(JSON.parse(failed.body).webhook_id, sample.data.id)
  status = 204
  assert.equal((await api('POST', `/webhook-deliveries/${sample.data.id}/resend`)).data.status, 'retrying')
  await store.settle()
  assert.deepEqual(await list('?status=delivered&limit=1'), [['billing.success'], 4, true])
  assert.deepEqual(await list('?status=failed'), [[], 0, false])
})

test('reading needs read:webhooks, and changing write:webhooks', async () => {
  const { store } = await aCaller()
  const reader = apiOf(await store.aKey(['read:webhooks']))
  const writer = apiOf(await store.aKey(['write:webhooks']))
  assert.equal((await reader('GET', '/webhook-endpoints')).status, 200)
  assert.equal((await reader('GET', '/events')).status, 200)
  assert.equal((await reader('POST', '/webhook-endpoints', { url: HOOK })).status, 403)
  assert.equal((await writer('POST', '/webhook-endpoints', { url: HOOK })).status, 200)
  assert.equal((await writer('GET', '/events')).status, 403)
})
