import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { app, calls } = testServer(db)

const BODY = '{ "id": 1,  "note": "spaces count, ä too" }'

function headersFor(store: BuiltStore, body: string | Buffer, given: Record<string, string> = {}) {
  return {
    'content-type': 'application/json',
    'x-platform-topic': 'orders/paid',
    'x-platform-shop-domain': store.domain.toUpperCase(),
    'x-platform-webhook-id': crypto.randomUUID(),
    'x-platform-hmac-sha256': createHmac('sha256', store.credentials.appSecret).update(body).digest('base64'),
    ...given
  }
}

const deliver = (headers: Record<string, string>, payload: string | Buffer = BODY) =>
  app.inject({ method: 'POST', url: '/platform/webhooks', headers, payload })

const stored = async () =>
  (await db.inInstallation((tx) => tx.one(row({ n: int }), sql`select count(*) as n from inbound_webhooks`))).n

test('a signed webhook is kept once, however often it comes, and wakes the background', async () => {
  const store = await aStore(db)
  const headers = headersFor(store, BODY)
  const before = await stored()
  for (let i = 0; i < 2; i++) {
    const response = await deliver(headers)
    assert.equal(response.statusCode, 200)
    assert.deepEqual(response.json(), { received: true })
    assert.ok(response.headers['x-request-id'])
  }
  assert.equal((await stored()) - before, 1)
  assert.deepEqual(calls.at(-1), ['wake', store.storeId])
})

test('an unknown shop, a bad signature, a missing header, another profile: 401 and nothing stored', async () => {
  const [store, other] = [await aStore(db), await aStore(db)]
  const good = headersFor(store, BODY)
  const shopify = Object.fromEntries(
    Object.entries(good).map(([name, v]) => [name.replace('x-platform', 'x-shopify'), v])
  )
  const { 'x-platform-topic': _topic, ...untitled } = good
  const before = await stored()
  for (const headers of [
    { ...good, 'x-platform-shop-domain': 'unknown.example' },
    { ...good, 'x-platform-shop-domain': other.domain },
    { ...good, 'x-platform-hmac-sha256': '' },
    { ...good, 'x-platform-hmac-sha256': 'AAAA' },
    headersFor(store, `${BODY} `),
    untitled,
    shopify
  ]) {
    const response = await deliver(headers as Record<string, string>)
    assert.equal(response.statusCode, 401)
    assert.deepEqual(response.json(), {
      error: { code: 'authentication_failed', message: 'The webhook is not signed by a shop that is known here' }
    })
  }
  assert.equal(await stored(), before)
})

test('a signed body that is no JSON object is refused and not stored', async () => {
  const store = await aStore(db)
  const before = await stored()
  for (const body of ['', '[]', '{', Buffer.from([0x7b, 0xff, 0x7d])]) {
    const response = await deliver(headersFor(store, body), body)
    assert.equal(response.statusCode, 400)
    const details = [{ field: 'body', code: 'invalid', message: 'must be a JSON object in UTF-8' }]
    assert.deepEqual(response.json(), {
      error: { code: 'invalid_request', message: 'The body must be a JSON object in UTF-8', details }
    })
  }
  assert.equal(await stored(), before)
})

test('a body over eight megabytes is refused', async () => {
  const store = await aStore(db)
  const body = JSON.stringify({ text: 'x'.repeat(8 * 1024 * 1024) })
  const response = await deliver(headersFor(store, body), body)
  assert.equal(response.statusCode, 400)
  const details = [{ field: 'body', code: 'invalid', message: 'is larger than 8192 KiB' }]
  assert.deepEqual(response.json(), {
    error: { code: 'invalid_request', message: 'The body is larger than 8192 KiB', details }
  })
})

test('an address that names many unknown shops is refused without looking for them; known shops are heard', async () => {
  const store = await aStore(db)
  const { app } = testServer(db, { trustedProxies: ['127.0.0.1'] })
  const from = (address: string, headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/platform/webhooks',
      headers: { ...headers, 'x-forwarded-for': address },
      payload: BODY
    })
  const unknown = (i: number) => headersFor(store, BODY, { 'x-platform-shop-domain': `unknown-${i}.example` })
  const statements = async (work: () => Promise<unknown>) => {
    const before = db.stats.statements
    await work()
    return db.stats.statements - before
  }
  assert.equal((await from('203.0.113.9', headersFor(store, BODY))).statusCode, 200)
  assert.ok((await statements(() => from('203.0.113.9', unknown(0)))) > 0)
  assert.equal(await statements(() => from('203.0.113.9', unknown(0))), 0, 'it is believed for a while')
  const statuses = new Set<number>()
  let refused = await from('203.0.113.9', unknown(1))
  // The minute may end meanwhile.
  for (let i = 2; refused.statusCode === 401 && i < 130; i++) {
    statuses.add(refused.statusCode)
    refused = await from('203.0.113.9', unknown(i))
  }
  assert.deepEqual([...statuses], [401])
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.json().error.code, 'rate_limited')
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.equal((await from('203.0.113.10', unknown(200))).statusCode, 401, 'another address')
  assert.equal((await from('203.0.113.9', headersFor(store, BODY))).statusCode, 200, 'a known shop')
})
