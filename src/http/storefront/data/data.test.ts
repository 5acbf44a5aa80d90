import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { Compile } from 'typebox/compile'
import { endpoints, rowSchema } from '#exports'
import { sql } from '#kit/postgres'
import { beforeDrop, testDatabase } from '../../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../../test/store-builder.ts'
import { until } from '../../../../test/until.ts'
import { testServer } from '../../server.test-helper.ts'
import { signedQuery } from '../signed.test-helper.ts'

const { db, url } = await testDatabase()
const { app, logged } = testServer(db)
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

const observer = new pg.Client({ connectionString: url })
await observer.connect()
beforeDrop(() => observer.end())

type Parameters = Record<string, string | string[]>

/** A request as the app proxy sends it, over a connection of its own. Its response is not read. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
  const sent = request({ port, host: '127.0.0.1', path: `/apps/svc-api/v1/data${path}`, headers, method, agent: false })
  sent.on('error', () => {})
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  return response
}

async function get(store: BuiltStore, path: string, parameters: Parameters = {}, headers: Record<string, string> = {}) {
  const response = await ask(`${path}?${signedQuery(store, parameters)}`, headers)
  const bytes = await buffer(response)
  return { status: response.statusCode, headers: response.headers, bytes, json: () => JSON.parse(bytes.toString()) }
}

async function aKeyedStore(options: { plan?: 'starter' } = {}) {
  const store = await aStore(db, options)
  return { store, key: await store.aKey(['read:data']) }
}

/** Orders of visitors, each with a name of so many characters. */
const placeOrders = (store: BuiltStore, count: number, nameLength = 10) =>
  store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      insert into orders (store_id, platform_order_id, name, number, currency, total_minor, tax_minor, discount_minor,
                          financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at, customer_name)
      select ${storeId}, i::text, '#' || i, i::text, 'USD', 1050, 50, 0, 'paid', '{}', '{}', '2026-01-31T15:04:05Z', '2026-01-31T15:04:05Z',
             statement_timestamp(), statement_timestamp(), repeat('x', ${nameLength}::int)
        from generate_series(1, ${count}::int) i`)
  )

/** As the service's housekeeping does where tables have grown. */
const analyze = () => observer.query('analyze')

const running = async () => {
  const { rows } = await observer.query(
    "select 1 from pg_stat_activity where datname = current_database() and application_name = 'perennial exports' and state <> 'idle'"
  )
  return rows.length
}

test('pages of a cursor endpoint follow each other by last_id, and a page asked for again is the same', async () => {
  const { store, key } = await aKeyedStore()
  await placeOrders(store, 12_000)
  await analyze()
  const first = await get(store, '/orders', { key })
  assert.equal(first.status, 200)
  assert.equal(first.headers['content-type'], 'application/json; charset=utf-8')
  const { data, meta } = first.json()
  assert.equal(data.length, 10_000)
  assert.deepEqual(
    Object.keys(data[0]),
    endpoints.find(({ name }) => name === 'orders')!.fields.map(({ name }) => name)
  )
  assert.deepEqual(
    [data[0].order_name, data[0].order_date, data[0].revenue, data[0].refund_date],
    ['#1', '2026-01-31 10:04', '10.50', '']
  )
  assert.deepEqual(
    { ...meta, last_id: 0 },
    { per_page: 10_000, last_id: 0, has_more: true, timezone: 'America/New_York' }
  )
  const second = (await get(store, '/orders', { key, since_id: String(meta.last_id), page: '3' })).json()
  assert.deepEqual([second.data.length, second.data[0].order_name, second.meta.has_more], [2_000, '#10001', false])
  assert.deepEqual((await get(store, '/orders', { key })).json(), first.json())
  const end = (await get(store, '/orders', { key, since_id: '9007199254740991' })).json()
  assert.deepEqual(end, { data: [], meta: { ...meta, last_id: 9_007_199_254_740_991, has_more: false } })
})

test('every endpoint answers rows of its schema, uncached and without the headers of rate limits', async () => {
  const { store, key } = await aKeyedStore()
  await placeOrders(store, 2)
  for (const endpoint of endpoints) {
    const { status, headers, json } = await get(store, `/${endpoint.name}`, { key })
    assert.equal(status, 200, endpoint.name)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-ratelimit-limit'], undefined)
    const row = Compile(rowSchema(endpoint) as never)
    for (const one of json().data) assert.ok(row.Check(one), JSON.stringify(one))
  }
})

test('a malformed parameter: 422 that names it; parameters that an endpoint does not have are ignored', async () => {
  const { store, key } = await aKeyedStore()
  const page = 'must be a positive integer up to 9007199254740991, digits only'
  const sinceId = 'must be an integer from 0 to 9007199254740991, digits only'
  const day = 'must be a day such as 2026-01-31'
  for (const [path, name, values, problem] of [
    ['/members', 'page', ['0', '-1', '1.5', 'abc', '1e9', '', ' 1', '+1', '9007199254740992', ['1', '2']], page],
    ['/credits-history', 'page', ['0', '1e9'], page],
    ['/orders', 'since_id', ['-1', '1.5', '9223372036854775808', '1e3', '', 'x', ['1', '1']], sinceId],
    ['/subscriptions', 'since_date', ['2026-02-30', '2026/01/01', '', '2026-1-1', ['2026-01-01', '2026-01-02']], day],
    ['/orders', 'since_updated', ['2026-02-30', '2026/01/01', ''], day]
  ] as [string, string, (string | string[])[], string][]) {
    for (const value of values) {
      const { status, json } = await get(store, path, { key, [name]: value })
      assert.equal(status, 422, `${path} ${name}=${value}`)
      const said = Array.isArray(value) ? 'must be given once' : problem
      assert.deepEqual(json(), { message: `${name} ${said}`, errors: { [name]: [said] } })
    }
  }
  const both = await get(store, '/orders', { key, since_id: 'x', since_date: 'y' })
  assert.deepEqual(both.json().errors, { since_id: [sinceId], since_date: [day] })
  for (const [path, ignored] of [
    ['/orders', { page: '0' }],
    ['/members', { since_id: '-1', since_date: 'never' }],
    ['/customers', { since_date: '2026-02-30', since_updated: 'x' }],
    ['/orders', { shopify_customer_gid: 'nobody', what: 'else' }]
  ] as [string, Parameters][]) {
    assert.deepEqual((await get(store, path, { key, ...ignored })).json().data, [], path)
  }
})

test('a page far behind the end is empty, whatever its number', async () => {
  const { store, key } = await aKeyedStore()
  for (const path of ['/members', '/credits-history'])
    for (const page of ['2', '922337203685478', '9007199254740991']) {
      const { status, json } = await get(store, path, { key, page })
      assert.deepEqual([status, json().data], [200, []], `${path} ${page}`)
    }
})

test('days before the first year are days: everything is since then', async () => {
  const { store, key } = await aKeyedStore()
  await placeOrders(store, 1)
  for (const zone of ['Asia/Tokyo', 'America/New_York']) {
    await observer.query('update stores set timezone = $2 where store_id = $1', [store.storeId, zone])
    for (const [name, day] of [
      ['since_date', '0000-01-01'],
      ['since_date', '0001-01-01'],
      ['since_updated', '0000-12-31']
    ] as const) {
      const { status, json } = await get(store, '/orders', { key, [name]: day })
      assert.deepEqual([status, json().data.length], [200, 1], `${name}=${day} ${zone}`)
    }
    assert.equal((await get(store, '/orders', { key, since_date: '9999-12-31' })).json().data.length, 0)
  }
})

test('key, signature and signed shop must agree, and the key needs its scope', async () => {
  const { store, key } = await aKeyedStore()
  const { store: other, key: foreign } = await aKeyedStore()
  const notSigned = 'The request is not signed by the app proxy of a shop that is known here'
  const now = () => String(Math.floor(Date.now() / 1000))
  const good = signedQuery(store, { key })
  for (const [query, status, message] of [
    [signedQuery(store), 401, 'key is missing: it must be an API key of the store'],
    [signedQuery(store, { key: '' }), 401, 'key is missing: it must be an API key of the store'],
    [signedQuery(store, { key: 'svc_live_1_nothing' }), 401, 'key is not a valid API key of this store'],
    [signedQuery(store, { key: [key, key] }), 401, 'key is given more than once'],
    [signedQuery(store, { key: foreign }), 401, 'key is not a valid API key of this store'],
    [signedQuery(store, { key: `${key.slice(0, -1)}#` }), 401, 'key is not a valid API key of this store'],
    [signedQuery(store, { key: await store.aKey(['read:members']) }), 403, 'This key lacks the scope read:data'],
    [`key=${key}`, 401, notSigned],
    [`${good}&page=2`, 401, notSigned],
    [good.replace(/signature=.*$/, 'signature=0'), 401, notSigned],
    [`${good}&signature=0`, 401, notSigned],
    [`${good}&shop=${other.domain}`, 401, notSigned],
    [`${good}&timestamp=${now()}`, 401, notSigned],
    [signedQuery(store, { key, timestamp: String(Number(now()) - 91) }), 401, notSigned],
    [signedQuery(store, { key, timestamp: String(Number(now()) + 95) }), 401, notSigned],
    [signedQuery(store, { key, shop: 'unknown.example' }), 401, notSigned],
    [signedQuery(store, { key, shop: other.domain }), 401, notSigned],
    [signedQuery(store, { key }, { secret: other.credentials.proxySecret }), 401, notSigned]
  ] as const) {
    const response = await ask(`/members?${query}`)
    assert.equal(response.statusCode, status, query)
    assert.deepEqual(JSON.parse((await buffer(response)).toString()), { message })
  }
  const inactive = await store.aKey(['read:data'])
  await observer.query('update api_keys set revoked_at = now() where store_id = $1 and key_hint = $2', [
    store.storeId,
    inactive.slice(-4)
  ])
  assert.equal((await get(store, '/members', { key: inactive })).status, 401)
  assert.equal((await get(store, '/members', { key })).status, 200)
})

test('unknown paths and wrong methods: 404 in the shape of this API, after authentication', async () => {
  const { store, key } = await aKeyedStore()
  const query = signedQuery(store, { key })
  for (const [method, path, more] of [
    ['POST', '/members', '; this path accepts GET, HEAD'],
    ['GET', '/nothing', '']
  ] as const) {
    const response = await ask(`${path}?${query}`, {}, method)
    assert.equal(response.statusCode, 404)
    assert.deepEqual(JSON.parse((await buffer(response)).toString()), {
      message: `There is no ${method} /apps/svc-api/v1/data${path}${more}`
    })
  }
  assert.equal((await ask('/nothing')).statusCode, 401)
})

test('requests are not counted by minute, and those that are refused count for their address', async () => {
  const { store, key } = await aKeyedStore({ plan: 'starter' })
  for (let n = 0; n < 70; n++) assert.equal((await get(store, '/members', { key })).status, 200)
  let refused = await get(store, '/members')
  for (let n = 0; n < 130 && refused.status !== 429; n++) refused = await get(store, '/members')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.deepEqual(refused.json(), {
    message: 'Too many requests without a valid key from this address: the limit is 60 per minute'
  })
  assert.equal((await get(store, '/members', { key })).status, 200)
})

test('a page is compressed as the client likes it, and is the same', async () => {
  const { store, key } = await aKeyedStore()
  await placeOrders(store, 3_000)
  await analyze()
  const plain = await get(store, '/orders', { key })
  assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'accept-encoding'])
  for (const [accepted, encoding, unpack] of [
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, br;q=0.5, zstd;q=0.1', 'gzip', gunzipSync],
    ['gzip, br, zstd', 'zstd', zstdDecompressSync],
    ['*', 'zstd', zstdDecompressSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
    ['gzip;q=0, deflate', undefined, (bytes: Buffer) => bytes]
  ] as const) {
    const { headers, bytes } = await get(store, '/orders', { key }, { 'accept-encoding': accepted })
    assert.equal(headers['content-encoding'], encoding, accepted)
    assert.ok(unpack(bytes).equals(plain.bytes), accepted)
  }
})

test('nine at once: the ninth is refused, other stores are served; clients that leave end their queries', async () => {
  const { store, key } = await aKeyedStore()
  const { store: other, key: othersKey } = await aKeyedStore()
  await placeOrders(store, 10_000, 5_000)
  const path = `/orders?${signedQuery(store, { key })}`
  const open = await Promise.all(Array.from({ length: 8 }, () => ask(path)))
  assert.deepEqual(
    open.map(({ statusCode }) => statusCode),
    new Array(8).fill(200)
  )
  // Nothing is read of them: each waits in the database for its reader.
  await until('eight run', async () => (await running()) === 8)
  const ninth = await ask(path)
  assert.deepEqual([ninth.statusCode, ninth.headers['retry-after']], [429, '1'])
  assert.deepEqual(JSON.parse((await buffer(ninth)).toString()), {
    message: 'Too many exports at once: the limit is 8 of a store'
  })
  assert.equal((await get(other, '/members', { key: othersKey })).status, 200)
  assert.equal(await running(), 8)
  for (const response of open) response.destroy()
  await until('none runs', async () => (await running()) === 0)
  assert.equal((await get(store, '/members', { key })).status, 200)
})

test('a page that breaks off in the database breaks the connection: it is never taken for a whole one', async () => {
  const { store, key } = await aKeyedStore()
  await placeOrders(store, 10_000, 5_000)
  const response = await ask(`/orders?${signedQuery(store, { key })}`)
  await until('one runs', async () => (await running()) === 1)
  await observer.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'perennial exports'"
  )
  await assert.rejects(buffer(response), { code: 'ECONNRESET' })
})

test('a client that leaves while a kept page is sent changes it for nobody, nor the pages of another store', async () => {
  const { store, key } = await aKeyedStore()
  const { store: other, key: othersKey } = await aKeyedStore()
  await placeOrders(store, 3_000, 5_000)
  await placeOrders(other, 3_000, 4_000)
  const page = await get(store, '/orders', { key })
  const others = await get(other, '/orders', { key: othersKey })
  assert.deepEqual([page.status, others.status], [200, 200])
  for (let n = 0; n < 3; n++) {
    const leaving = await ask(`/orders?${signedQuery(store, { key })}`)
    leaving.destroy()
    await pause(20)
    // It opens files, which get the numbers that are free.
    await get(other, '/orders', { key: othersKey, since_id: String(n) })
    assert.ok((await get(store, '/orders', { key })).bytes.equals(page.bytes))
    assert.ok((await get(other, '/orders', { key: othersKey })).bytes.equals(others.bytes))
  }
})

test('neither key nor signature is logged', async () => {
  const { store, key } = await aKeyedStore()
  const query = signedQuery(store, { key, since_id: '7' })
  await buffer(await ask(`/orders?${query}`))
  const signature = new URLSearchParams(query).get('signature')!
  await until('it is logged', async () => logged().includes('since_id=7'))
  assert.ok(!logged().includes(key))
  assert.ok(!logged().includes(signature))
})
