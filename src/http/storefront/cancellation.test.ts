import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { row, sql, text } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'
import { signedQuery } from './signed.test-helper.ts'

const { db } = await testDatabase()
const { app, calls } = testServer(db)

const NOW = '2026-01-31T15:04:05Z'

const signed = (store: BuiltStore, customerId: string | null, changes: Record<string, string> = {}, secret?: string) =>
  signedQuery(store, changes, { customerId: customerId ?? '', secret })

const post = (contractId: string, query: string, payload: object = { reason: 'too_expensive' }) =>
  app.inject({
    method: 'POST',
    url: `/apps/svc-api/v1/membership/churn/${encodeURIComponent(contractId)}/cancellation?${query}`,
    payload
  })

async function aMembership(store: BuiltStore): Promise<PlatformContract> {
  const contract = aContract(Temporal.Instant.from(NOW))
  const order = anOrder(Temporal.Instant.from(NOW), { id: contract.originOrder!.id })
  await store.inStore((ctx) => upsertFromContracts(ctx, [contract], [order]))
  return contract
}

const aClockedStore = () => aStore(db, { clockAt: Temporal.Instant.from(NOW) })

const kept = (store: BuiltStore, contract: PlatformContract) =>
  store.inStore(({ tx }) =>
    tx.one(
      row({ status: text, reason: (v) => v as string | null, comment: (v) => v as string | null }),
      sql`select status, cancel_reason as reason, cancel_comment as comment from subscriptions
           where store_id = ${store.storeId} and platform_contract_id = ${contract.id}`
    )
  )

test('a logged-in customer cancels their own contract, with times in shop time; the background is woken', async () => {
  const store = await aClockedStore()
  const contract = await aMembership(store)
  const response = await post(contract.id, signed(store, contract.customer!.id), {
    reason: 'too_expensive',
    comment: 'Maybe later'
  })

  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), {
    shopify_contract_id: contract.id,
    status: 'CANCELLED',
    cancelled_date: '2026-01-31 10:04',
    cancel_reason: 'too_expensive'
  })
  assert.deepEqual(await kept(store, contract), {
    status: 'cancelled',
    reason: 'too_expensive',
    comment: 'Maybe later'
  })
  assert.deepEqual(calls.at(-1), ['wake', store.storeId])
  assert.equal(response.headers['x-ratelimit-limit'], '60')
  assert.ok(response.headers['x-request-id'])

  const again = await post(contract.id, signed(store, contract.customer!.id))
  assert.equal(again.statusCode, 403)
  assert.deepEqual(Object.keys(again.json()), ['message'])
})

test("the customer's own words are a reason too, and the contract may be named by its global id", async () => {
  const store = await aClockedStore()
  const contract = await aMembership(store)
  const response = await post(
    `gid://platform/SubscriptionContract/${contract.id}`,
    signed(store, contract.customer!.id),
    { reason: '  I am moving to the moon  ' }
  )
  assert.equal(response.json().cancel_reason, 'I am moving to the moon')
})

test('not logged in, or as someone else: 403 and nothing changes', async () => {
  const store = await aClockedStore()
  const contract = await aMembership(store)
  for (const [customerId, message] of [
    [null, 'Log in to cancel a membership'],
    ['424242', 'This contract belongs to another customer']
  ] as const) {
    const response = await post(contract.id, signed(store, customerId))
    assert.equal(response.statusCode, 403)
    assert.deepEqual(response.json(), { message })
  }
  assert.equal((await kept(store, contract)).status, 'active')
})

test("an unknown contract, or another store's: 404", async () => {
  const [mine, theirs] = [await aClockedStore(), await aClockedStore()]
  const contract = await aMembership(theirs)
  for (const id of [contract.id, '999', 'nonsense', '1'.repeat(40)]) {
    const response = await post(id, signed(mine, contract.customer!.id))
    assert.equal(response.statusCode, 404)
    assert.deepEqual(response.json(), { message: `There is no contract ${id}` })
  }
  assert.equal((await kept(theirs, contract)).status, 'active')
})

test('a body that is not as it must be: 422 with the fields', async () => {
  const store = await aClockedStore()
  const query = () => signed(store, '1')
  const reason = 'must be a text of 1 to 200 characters that is not blank'
  for (const [body, field, problem] of [
    [{ reason: '' }, 'reason', reason],
    [{ reason: ' ' }, 'reason', reason],
    [{ reason: 'x'.repeat(201) }, 'reason', reason],
    [{ reason: 5 }, 'reason', reason],
    [{ reason: 'other', comment: 'x'.repeat(1025) }, 'comment', 'must be a text of at most 1024 characters'],
    [{ reason: 'other', why: 1 }, 'why', 'is not a field here; this body accepts reason, comment']
  ] as const) {
    const response = await post('1', query(), body)
    assert.equal(response.statusCode, 422)
    assert.deepEqual(response.json(), { message: `${field} ${problem}`, errors: { [field]: [problem] } })
  }
  const malformed = await app.inject({
    method: 'POST',
    url: `/apps/svc-api/v1/membership/churn/1/cancellation?${query()}`,
    headers: { 'content-type': 'application/json' },
    payload: '{"reason":'
  })
  assert.equal(malformed.statusCode, 422)
  assert.deepEqual(malformed.json(), { message: 'The body is not valid JSON', errors: { body: ['is not valid JSON'] } })
})

test('what the proxy did not sign, or signed for another shop or long ago: 401 and nothing changes', async () => {
  const [store, other] = [await aClockedStore(), await aClockedStore()]
  const contract = await aMembership(store)
  const me = contract.customer!.id
  const good = signed(store, me)
  const tampered = good.replace(`logged_in_customer_id=${me}`, 'logged_in_customer_id=1')
  for (const query of [
    '',
    'signature=0',
    tampered,
    `${good}&shop=${other.domain}`,
    `${good}&logged_in_customer_id=${me}`,
    signed(store, me, {}, other.credentials.proxySecret),
    signed(other, me, { shop: store.domain }),
    signed(store, me, { timestamp: String(Math.floor(Date.now() / 1000) - 120) }),
    signed(store, me, { shop: 'unknown.example' }),
    good.replace(/signature=.*$/, '')
  ]) {
    const response = await post(contract.id, query)
    assert.equal(response.statusCode, 401, query)
    assert.deepEqual(response.json(), {
      message: 'The request is not signed by the app proxy of a shop that is known here'
    })
    assert.equal(response.headers['x-ratelimit-limit'], '60')
  }
  assert.equal((await kept(store, contract)).status, 'active')
})

test('unknown paths and wrong methods of a signed request: 404 in the shape of this surface', async () => {
  const store = await aClockedStore()
  const query = signed(store, null)
  for (const [method, path, accepts] of [
    ['GET', '/membership/churn/1/cancellation', '; this path accepts POST'],
    ['POST', '/nothing', '']
  ] as const) {
    const response = await app.inject({ method, url: `/apps/svc-api/v1${path}?${query}` })
    assert.equal(response.statusCode, 404)
    assert.deepEqual(response.json(), { message: `There is no ${method} /apps/svc-api/v1${path}${accepts}` })
  }
})

test('each shopper has a budget of their own, beside those of other shoppers, of visitors and of the store', async () => {
  const store = await aStore(db, { plan: 'starter' })
  const responses = []
  while (responses.length < 200 && responses.at(-1)?.statusCode !== 429)
    responses.push(await post('1', signed(store, '5')))

  assert.deepEqual(responses.at(-1)!.json(), {
    message: 'Too many requests: the limit is 60 per minute'
  })
  assert.ok(Number(responses.at(-1)!.headers['retry-after']) >= 1)
  assert.equal((await post('1', signed(store, '6'))).statusCode, 404)
  assert.equal((await post('1', signed(store, null))).statusCode, 403)
  const key = await store.aKey()
  const direct = await app.inject({ url: '/v1/members', headers: { authorization: `Bearer ${key}` } })
  assert.equal(direct.statusCode, 200)
  const data = await app.inject({ url: `/apps/svc-api/v1/data/members?${signedQuery(store, { key })}` })
  assert.equal(data.statusCode, 200)
})

test('visitors who are not logged in are counted by their address; the store as used up as it may be keeps nobody from cancelling', async () => {
  const store = await aStore(db, { plan: 'starter', clockAt: Temporal.Instant.from(NOW) })
  const contract = await aMembership(store)
  const authorization = `Bearer ${await store.aKey()}`
  let direct = await app.inject({ url: '/v1/members', headers: { authorization } })
  for (let n = 0; n < 130 && direct.statusCode !== 429; n++)
    direct = await app.inject({ url: '/v1/members', headers: { authorization } })
  assert.equal(direct.statusCode, 429)
  let visitor = await post(contract.id, signed(store, null))
  for (let n = 0; n < 130 && visitor.statusCode !== 429; n++) visitor = await post(contract.id, signed(store, null))
  assert.equal(visitor.statusCode, 429)
  assert.equal((await post(contract.id, signed(store, contract.customer!.id))).statusCode, 200)
})
