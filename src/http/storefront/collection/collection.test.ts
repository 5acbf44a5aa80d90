import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { upsertFromContracts } from '#contracts'
import { changeCredits } from '#credits'
import { topics } from '#exports'
import { int, row, sql } from '#kit/postgres'
import { aContract, anOrder } from '../../../../test/contract-builder.ts'
import { testDatabase } from '../../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../../test/store-builder.ts'
import { testServer } from '../../server.test-helper.ts'
import { signedQuery } from '../signed.test-helper.ts'

const { db } = await testDatabase()
const { app, logged } = testServer(db)
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

const NOW = '2026-01-31T15:04:05Z'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function ask(
  query: string,
  body: string,
  headers: Record<string, string> = FORM,
  method = 'POST'
): Promise<IncomingMessage> {
  const sent = request({
    port,
    host: '127.0.0.1',
    path: `/apps/svc-api/v1/collection?${query}`,
    method,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false
  })
  sent.on('error', () => {})
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

async function post(query: string, fields: string[][] | string, headers?: Record<string, string>) {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields as [string, string][]).toString()
  const response = await ask(query, body, headers)
  const bytes = await buffer(response)
  return { status: response.statusCode, headers: response.headers, bytes, json: () => JSON.parse(bytes.toString()) }
}

async function aKeyedStore() {
  const store = await aStore(db, { clockAt: Temporal.Instant.from(NOW) })
  return { store, key: await store.aKey(['read:data']) }
}

async function aMember(store: BuiltStore) {
  const contract = aContract(Temporal.Instant.from(NOW))
  const order = anOrder(Temporal.Instant.from(NOW), { id: contract.originOrder!.id })
  await store.inStore((ctx) => upsertFromContracts(ctx, [contract], [order]))
  return contract
}

test('each topic in its odd shape, with Deprecation and the address of the API that replaces it', async () => {
  const { store, key } = await aKeyedStore()
  const contract = await aMember(store)
  const customer = contract.customer!.id
  const dump = async (topic: string) => {
    const { status, headers, json } = await post(signedQuery(store), [
      ['key', key],
      ['topic', topic],
      ['what', 'else']
    ])
    assert.equal(status, 200, topic)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers.deprecation, '@1767225600')
    assert.equal(headers.link, '</apps/svc-api/v1/data>; rel="successor-version"')
    return json()
  }
  assert.deepEqual(await dump('member'), [
    { shopify_customer_gid: customer, email: contract.customer!.email, balance_from_svc: '0.00' }
  ])
  const [subscription] = await dump('subscription_contract')
  assert.deepEqual(
    Object.keys(subscription),
    topics.find(({ name }) => name === 'subscription_contract')!.fields.map(({ name }) => name)
  )
  assert.equal(subscription.contract_id, Number(contract.id))
  assert.ok((await dump('activity_log_m')).length > 0)

  const [member] = await store.inStore(({ tx, storeId }) =>
    tx.many(row({ id: int }), sql`select id from members where store_id = ${storeId}`)
  )
  const change = {
    memberId: member!.id,
    orderId: null,
    note: null,
    actor: null,
    reason: 'Welcome',
    type: 'manual_add' as const
  }
  await store.inStore((ctx) =>
    changeCredits(ctx, [
      { ...change, amountMinor: 1050, operationId: 'a' },
      { ...change, amountMinor: 200, operationId: 'b' }
    ] as Parameters<typeof changeCredits>[1])
  )
  const entry = { shopify_customer_gid: customer, body: 'Welcome', status: '0', created_at: '2026-01-31 10:04' }
  assert.deepEqual(await dump('store_credit_history'), {
    [customer]: [
      { ...entry, value: '10.50', total: '10.50' },
      { ...entry, value: '2.00', total: '12.50' }
    ]
  })
})

test('a topic without rows, and an unknown shop: 404', async () => {
  const { store, key } = await aKeyedStore()
  for (const { name } of topics) {
    const { status, json, headers } = await post(signedQuery(store), [
      ['key', key],
      ['topic', name]
    ])
    assert.equal(status, 404)
    assert.deepEqual(json(), { error: `There are no records of ${name}` })
    assert.ok(headers.deprecation)
  }
  const unknown = await post(signedQuery(store, { shop: 'unknown.example' }), [
    ['key', key],
    ['topic', 'member']
  ])
  assert.deepEqual([unknown.status, unknown.json()], [404, { error: 'The shop is not known here' }])
})

test('a missing key, a bad topic, and what is no form: 400', async () => {
  const { store, key } = await aKeyedStore()
  const names = 'one of member, store_credit_history, activity_log_m, subscription_contract'
  for (const [fields, error] of [
    [[['topic', 'member']], 'key is required and must be an API key of the store'],
    [
      [
        ['key', ''],
        ['topic', 'member']
      ],
      'key is required and must be an API key of the store'
    ],
    [
      [
        ['key', key],
        ['key', key],
        ['topic', 'member']
      ],
      'key is given more than once'
    ],
    [[['key', key]], `topic is required and must be ${names}`],
    [
      [
        ['key', key],
        ['topic', 'members']
      ],
      `topic must be ${names}`
    ],
    [
      [
        ['key', key],
        ['topic', 'member'],
        ['topic', 'member']
      ],
      'topic is given more than once'
    ],
    [[], `key is required and must be an API key of the store; topic is required and must be ${names}`],
    ['key=\u00ff', 'The body must be application/x-www-form-urlencoded']
  ] as [string[][] | string, string][]) {
    const { status, json } = await post(signedQuery(store), fields)
    assert.equal(status, 400, error)
    assert.deepEqual(json(), { error })
  }
  const asJson = await post(signedQuery(store), JSON.stringify({ key, topic: 'member' }), {
    'content-type': 'application/json'
  })
  assert.deepEqual(
    [asJson.status, asJson.json()],
    [400, { error: 'A body must be sent with Content-Type: application/x-www-form-urlencoded' }]
  )
  const large = await post(signedQuery(store), `key=${'x'.repeat(10_000)}`)
  assert.deepEqual([large.status, large.json()], [400, { error: 'The body is larger than 8 KiB' }])
})

test('a bad signature, an unknown, inactive or foreign key: 401; a key without the scope: 403', async () => {
  const { store, key } = await aKeyedStore()
  const { store: other, key: foreign } = await aKeyedStore()
  const notSigned = 'The request is not signed by the app proxy of a shop that is known here'
  const invalid = 'key is not a valid API key of this store'
  const good = signedQuery(store)
  for (const [query, presented, status, error] of [
    [good.replace(/signature=.*$/, 'signature=0'), key, 401, notSigned],
    ['', key, 401, notSigned],
    [signedQuery(store, {}, { secret: other.credentials.proxySecret }), key, 401, notSigned],
    [`${good}&shop=${other.domain}`, key, 401, notSigned],
    [good, 'svc_live_1_unknown', 401, invalid],
    [good, foreign, 401, invalid],
    [good, await store.aKey(['read:members']), 403, 'This key lacks the scope read:data']
  ] as const) {
    const { status: got, json } = await post(query, [
      ['key', presented],
      ['topic', 'member']
    ])
    assert.deepEqual([got, json()], [status, { error }])
  }
  // A key in the query is none: it would be in logs on the way.
  assert.equal((await post(signedQuery(store, { key }), [['topic', 'member']])).status, 400)
})

test('wrong methods and unknown paths: 404 in the shape of this API', async () => {
  const { store } = await aKeyedStore()
  const response = await ask(signedQuery(store), '', {}, 'GET')
  assert.equal(response.statusCode, 404)
  assert.deepEqual(JSON.parse((await buffer(response)).toString()), {
    error: 'There is no GET /apps/svc-api/v1/collection; this path accepts POST'
  })
})

test('a dump of many rows is whole, also compressed', async () => {
  const { store, key } = await aKeyedStore()
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into members (store_id, platform_customer_id, email, status, member_since, created_at, updated_at)
      select ${storeId}, i::text, 'm' || i || '@example.com', 'active', ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
        from generate_series(1, 20000) i`)
  )
  const fields = [
    ['key', key],
    ['topic', 'member']
  ]
  const plain = await post(signedQuery(store), fields)
  assert.equal(plain.json().length, 20_000)
  const packed = await post(signedQuery(store), fields, { ...FORM, 'accept-encoding': 'gzip' })
  assert.ok(gunzipSync(packed.bytes).equals(plain.bytes))
})

test('a dump that takes too long fails: with a reason before it has begun, and else by breaking off', async () => {
  const { store, key } = await aKeyedStore()
  await aMember(store)
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      insert into contract_activities (store_id, subscription_id, member_id, kind, actor, text, plan_name, occurred_at)
      select store_id, id, member_id, 'created', 'customer', repeat('x', 400), 'VIP', created_at
        from (select store_id, id, member_id, created_at from subscriptions where store_id = ${storeId} offset 0) s,
             generate_series(1, 30000)
      returning 1`)
  )
  const body = new URLSearchParams({ key, topic: 'activity_log_m' }).toString()
  const error =
    'The records of activity_log_m do not fit into one response: read them page by page with the Data API, /apps/svc-api/v1/data'
  const asked = (server: ReturnType<typeof testServer>) =>
    server.app.inject({
      method: 'POST',
      url: `/apps/svc-api/v1/collection?${signedQuery(store)}`,
      headers: FORM,
      payload: body
    })
  const hasty = testServer(db, { dumpWithinMs: 1 })
  const refused = await asked(hasty)
  assert.deepEqual([refused.statusCode, refused.json()], [503, { error }])

  const slow = testServer(db, { dumpWithinMs: 2_000 })
  await slow.app.listen({ port: 0, host: '127.0.0.1' })
  const { port: slowPort } = slow.app.server.address() as AddressInfo
  const sent = request({
    port: slowPort,
    host: '127.0.0.1',
    path: `/apps/svc-api/v1/collection?${signedQuery(store)}`,
    method: 'POST',
    headers: { ...FORM, 'content-length': body.length },
    agent: false
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  // Its reader takes nothing for longer than the dump may take.
  await pause(2_500)
  await assert.rejects(buffer(response), { code: 'ECONNRESET' })
  assert.match(slow.logged(), /The dump of activity_log_m took too long, and was given up/)
})

test('no key is logged', async () => {
  const { store, key } = await aKeyedStore()
  await post(signedQuery(store), [
    ['key', key],
    ['topic', 'member']
  ])
  await post(signedQuery(store), [
    ['key', `${key}x`],
    ['topic', 'member']
  ])
  assert.ok(!logged().includes(key))
})
