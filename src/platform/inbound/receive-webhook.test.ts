import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { instant, int, nullable, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { receiveWebhook, type WebhookStore } from './receive-webhook.ts'
import { readWebhookHeaders } from './webhook-headers.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T10:00:00Z')

/** A sandbox store whose clock stays at START. */
async function aWebhookStore(): Promise<WebhookStore> {
  const { storeId, credentials } = await aStore(db, { clockAt: START })
  return { storeId, appSecret: credentials.appSecret, profile: 'platform' }
}

type Headers = Record<string, string | undefined>

const hmac = (secret: string, body: string | Buffer) => createHmac('sha256', secret).update(body).digest('base64')

function headersFor({ appSecret }: WebhookStore, body: string | Buffer, headers: Headers = {}) {
  return {
    'x-platform-topic': 'orders/paid',
    'x-platform-hmac-sha256': hmac(appSecret, body),
    'x-platform-shop-domain': 'Store.Example',
    'x-platform-webhook-id': randomUUID() as string,
    'x-platform-triggered-at': '2026-01-31T09:59:58.5Z',
    ...headers
  }
}

function receive(store: WebhookStore, body: string | Buffer, headers: Headers = {}) {
  const read = readWebhookHeaders(headersFor(store, body, headers))
  assert.ok(read)
  return receiveWebhook(db, store, read, Buffer.from(body))
}

const Kept = row({
  id: int,
  topic: text,
  body: text,
  status: text,
  attempts: int,
  runAt: instant,
  receivedAt: instant,
  triggeredAt: nullable(instant),
  lastError: nullable(text),
  leaseOwner: nullable(int)
})
const kept = ({ storeId }: WebhookStore) =>
  db.inStore(storeId, ({ tx }) =>
    tx.many(
      Kept,
      sql`select id, topic, body, status, attempts, run_at, received_at, triggered_at, last_error, lease_owner
            from inbound_webhooks where store_id = ${storeId} order by id`
    )
  )

test('a signed message is stored as it came, at the time of the store', async () => {
  const store = await aWebhookStore()
  const body = readFileSync(new URL('../../../test/fixtures/platform/payloads/orders__paid.json', import.meta.url))
  assert.deepEqual(await receive(store, body), { status: 200, outcome: 'stored' })
  const [message] = await kept(store)
  assert.deepEqual(message, {
    id: message!.id,
    topic: 'orders/paid',
    body: body.toString(),
    status: 'waiting',
    attempts: 0,
    runAt: START,
    receivedAt: START,
    triggeredAt: Temporal.Instant.from('2026-01-31T09:59:58.5Z'),
    lastError: null,
    leaseOwner: null
  })
})

test('receiving takes one statement', async () => {
  const store = await aWebhookStore()
  await receive(store, '{}')
  const before = { ...db.stats }
  await receive(store, '{}')
  assert.equal(db.stats.statements - before.statements, 1)
  assert.equal(db.stats.transactions - before.transactions, 0)
})

test('a repeated delivery gets 200 and is stored once, also when it comes many times at once', async () => {
  const store = await aWebhookStore()
  const id = { 'x-platform-webhook-id': 'w-1' }
  const responses = await Promise.all(Array.from({ length: 10 }, () => receive(store, '{"n":1}', id)))
  assert.deepEqual(responses.map((response) => response.outcome).sort(), [...Array(9).fill('repeated'), 'stored'])
  assert.equal((await kept(store)).length, 1)
})

test('two stores may receive the same delivery id', async () => {
  const [a, b] = [await aWebhookStore(), await aWebhookStore()]
  const id = { 'x-platform-webhook-id': 'w-1' }
  assert.equal((await receive(a, '{}', id)).outcome, 'stored')
  assert.equal((await receive(b, '{}', id)).outcome, 'stored')
  assert.equal((await kept(a)).length, 1)
})

test('a bad signature is 401 and nothing is stored, whatever the body', async () => {
  const store = await aWebhookStore()
  const forged = { 'x-platform-hmac-sha256': hmac('guess', '{}') }
  const bad = { status: 401, outcome: 'bad_signature' }
  assert.deepEqual(await receive(store, '{}', forged), bad)
  assert.deepEqual(await receive(store, 'no json', forged), bad)
  assert.deepEqual(await receive(store, '', forged), bad)
  assert.deepEqual(await receive({ ...store, profile: 'shopify' }, '{}'), bad)
  const other = await aWebhookStore()
  assert.deepEqual(await receive(store, '{}', headersFor(other, '{}')), bad)
  assert.deepEqual(await kept(store), [])
})

test('a signed body that is not a JSON object in UTF-8 is 400 and nothing is stored', async () => {
  const store = await aWebhookStore()
  const bodies = ['', '[]', 'null', '"text"', '1', '{"a":', '{"a":"\0"}', '\ufeff{}', Buffer.from([123, 255, 125])]
  for (const body of bodies) assert.equal((await receive(store, body)).status, 400)
  assert.deepEqual(await kept(store), [])
})

test('headers are read in either spelling, and only when all are present', async () => {
  const headers = headersFor(await aWebhookStore(), '{}')
  const shopify = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.replace('platform', 'shopify'), v]))
  assert.equal(readWebhookHeaders(headers)?.profile, 'platform')
  assert.equal(readWebhookHeaders(headers)?.shopDomain, 'store.example')
  assert.equal(readWebhookHeaders(shopify)?.profile, 'shopify')
  assert.equal(readWebhookHeaders({ ...headers, 'x-platform-triggered-at': 'soon' })?.triggeredAt, null)
  for (const name of ['topic', 'hmac-sha256', 'shop-domain', 'webhook-id']) {
    assert.equal(readWebhookHeaders({ ...headers, [`x-platform-${name}`]: undefined }), null, name)
    assert.equal(readWebhookHeaders({ ...headers, [`x-platform-${name}`]: 'x'.repeat(256) }), null, name)
  }
})
