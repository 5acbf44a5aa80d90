// Every operation of the published document: with its scope, with every other scope and without a key. Another store's ids are in
// trials/foreign-ids.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { SCOPES } from '#stores'
import { storeContent, storeTables } from '../trials/store-content.ts'
import { testDatabase } from './database.ts'
import { addGiftCardRow } from './gift-card-row.ts'
import { type Operation, operationsOf } from './openapi.ts'
import { startService } from './service-builder.ts'
import { spendByCodes } from './spend-by-codes.ts'

const { url } = await testDatabase()
// Each operation is called from its own address, or the calls without a key would use up the limit of one address.
const service = await startService(url, { trustedProxies: ['127.0.0.1'] })
const document = await fetch(`${service.urls.public}/openapi.json`)
const operations = operationsOf((await document.json()) as Parameters<typeof operationsOf>[0])

/** The ids of a store's objects. */
type Things = {
  member: string
  customer: string
  platformCustomer: string
  subscription: string
  attempt: string
  plan: string
  endpoint: string
  delivery: string
  reservation: string
  code: string
}

/** The kind of id of each path parameter. A parameter that is missing here fails the test. */
const PATH_IDS: Record<string, keyof Things> = {
  member_id: 'member',
  customer_id: 'customer',
  subscription_id: 'subscription',
  attempt_id: 'attempt',
  endpoint_id: 'endpoint',
  delivery_id: 'delivery',
  reservation_id: 'reservation',
  code_id: 'code'
}

/**
 * What an operation needs besides the document: a body in place of the example, and preparations. Most operations need nothing.
 */
const KNOWN: Record<string, { body?: object; before?: (store: Walked) => Promise<unknown> }> = {
  updateMember: { body: { loyalty_points: 7 } },
  pauseSubscription: { body: { duration: 3 } },
  resumeSubscription: {
    body: {},
    before: (store) => service.post(`/subscriptions/${store.things.subscription}/pause`, store.key)
  },
  cancelSubscription: { body: { reason: 'too_expensive' } },
  reactivateSubscription: {
    before: async (store) => {
      await store.grace(24)
      await service.post(`/subscriptions/${store.things.subscription}/cancel`, store.key)
    }
  },
  // It is in dunning, which ends when a date is set after a pause.
  skipSubscriptionCycle: {
    before: async (store) => {
      await service.post(`/subscriptions/${store.things.subscription}/pause`, store.key)
      const date = { next_billing_date: '2026-03-20' }
      await service.post(`/subscriptions/${store.things.subscription}/resume`, store.key, date)
    }
  },
  changeSubscription: { body: { price: 31 } },
  // The names of the examples would be looked up.
  createWebhookEndpoint: { body: { url: 'http://127.0.0.1:4000/hooks' } },
  updateWebhookEndpoint: { body: { url: 'http://127.0.0.1:4000/hooks', events: null } },
  giftSubscription: {
    body: { receiver: 'receiver@example.com' },
    before: (store) => aReceiver(store)
  },
  revokeGift: {
    before: async (store) => {
      await aReceiver(store)
      await service.post(`/subscriptions/${store.things.subscription}/gift`, store.key, RECEIVER)
    }
  },
  addStoreCredit: { body: { amount: 5, reason: 'Walk' } },
  deductStoreCredit: {
    body: { amount: 1, reason: 'Walk' },
    before: (store) =>
      service.post(`/store-credits/${store.things.customer}/add`, store.key, { amount: 5, reason: 'Walk' })
  },
  reserveStoreCredit: {
    body: { amount: 1 },
    before: (store) =>
      service.post(`/store-credits/${store.things.customer}/add`, store.key, { amount: 5, reason: 'Walk' })
  },
  captureStoreCreditReservation: { body: { amount: 1 } },
  releaseStoreCreditReservation: { body: {} },
  createStoreCreditCode: {
    body: { amount: 1 },
    before: (store) =>
      service.post(`/store-credits/${store.things.customer}/add`, store.key, { amount: 5, reason: 'Walk' })
  },
  revokeStoreCreditCode: { body: {} },
  reportLoyaltyEvent: { body: { email: 'ada@example.com', type: 'custom_action', action_key: 'quiz_done' } }
}

/** The fifteen endpoints of the spec. */
const OF_THE_SPEC = [
  'listMembers',
  'getMember',
  'updateMember',
  'listSubscriptions',
  'getSubscription',
  'pauseSubscription',
  'resumeSubscription',
  'cancelSubscription',
  'listBillingAttempts',
  'retryBillingAttempt',
  'getStoreCredit',
  'addStoreCredit',
  'deductStoreCredit',
  'listStoreCreditHistory',
  'getAnalyticsOverview'
]

type Walked = Awaited<ReturnType<typeof walked>>

const RECEIVER = { receiver: 'receiver@example.com' }
const aReceiver = (store: Walked) => store.customer(RECEIVER.receiver)

/** A store with every object that an operation can reference, and a failed attempt that can be retried. */
async function walked() {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await store.card(customer.id, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const endpoint = await service.post('/webhook-endpoints', store.key, { url: 'http://127.0.0.1:9/hooks' })
  const delivery = await service.post(`/webhook-endpoints/${endpoint.body.data.id}/test`, store.key, {
    event: 'billing.success'
  })
  const first = async (path: string) => (await service.get(path, store.key)).body.data[0]
  const member = await first('/members')
  const credit = `/store-credits/${member.customer.id}`
  await service.post(`${credit}/add`, store.key, { amount: 2, reason: 'Walk' })
  await addGiftCardRow(service.db, store.storeId, member.customer.id)
  await spendByCodes(service.db, store.storeId)
  const reservation = await service.post(`${credit}/reservations`, store.key, { amount: 1, duration: 1440 })
  const code = await service.post(`${credit}/codes`, store.key, { amount: 1, duration: 1440 })
  const things: Things = {
    member: member.id,
    customer: member.customer.id,
    platformCustomer: customer.id,
    subscription: (await first('/subscriptions')).id,
    attempt: (await first('/billing-attempts')).id,
    plan: member.plan_id,
    endpoint: endpoint.body.data.id,
    delivery: delivery.body.data.id,
    reservation: reservation.body.data.id,
    code: code.body.data.id
  }
  return {
    ...store,
    things,
    aKey: async (scopes: string[]): Promise<{ id: string; key: string }> =>
      service.admin('POST', `${store.at}/keys`, { name: 'Walk', scopes })
  }
}

/** `second`: the second id of a path. */
type Request = {
  key?: string
  id?: string
  second?: string
  query?: string
  body?: object
  authorization?: string
}

const secondOf = ({ path }: Operation, { things }: Walked) =>
  path.includes('{code_id}') ? things.code : things.reservation

async function send(operation: Operation, { key, id = 'x', second = 'x', query = '', body, authorization }: Request) {
  const path = operation.path.replace(/\{\w+\}/, encodeURIComponent(id)).replace(/\{\w+\}/, second)
  const response = await fetch(`${service.urls.public}/v1${path}${query}`, {
    method: operation.method,
    headers: {
      'x-forwarded-for': `10.0.0.${operations.indexOf(operation) + 1}`,
      ...(authorization !== undefined ? { authorization } : key ? { authorization: `Bearer ${key}` } : {}),
      ...(body && { 'content-type': 'application/json' })
    },
    body: body && JSON.stringify(body)
  })
  const result = await response.json()
  assert.equal(operation.fits(response.status, result), true, `${operation.id} ${response.status}: as declared`)
  for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.ok(response.headers.get(name), `${operation.id} ${response.status} has ${name}`)
  }
  return { status: response.status, response: result as any }
}

const tables = await storeTables(service.db)
const contentOf = (storeId: number) => storeContent(service.db, tables, storeId)

test('this test covers every operation, and the document every route', () => {
  const ids = new Set(operations.map(({ id }) => id))
  for (const id of [...OF_THE_SPEC, ...Object.keys(KNOWN)]) assert.ok(ids.has(id), `the document has no ${id}`)
  for (const { id, parameters } of operations) {
    for (const { name, in: place } of parameters) {
      if (place === 'path') assert.ok(name in PATH_IDS, `${id} names a ${name}, which the walk does not know`)
    }
  }
})

/** A store for the operations that only read. */
let read: Promise<Walked> | undefined
/** Two stores for the requests that may change nothing, which each test shows. */
let unchanged: Promise<[Walked, Walked]> | undefined
async function twoStores(): Promise<[Walked, Walked]> {
  const stores: [Walked, Walked] = [await walked(), await walked()]
  // All requests of a minute together are more than a small tariff allows.
  for (const { storeId } of stores) {
    await service.db.inStore(storeId, ({ tx }) =>
      tx.run(sql`update stores set rate_plan = 'enterprise' where store_id = ${storeId}`)
    )
  }
  return stores
}

for (const operation of operations) {
  const { body = operation.body ? operation.example : undefined, before } = KNOWN[operation.id] ?? {}
  const named = operation.parameters.find(({ in: place }) => place === 'path')
  const known = { body: body as object | undefined, before, path: named && PATH_IDS[named.name] }

  test(`${operation.id}: succeeds with its scope and with no other`, async () => {
    const store = await (operation.method === 'GET' && !known.before ? (read ??= walked()) : walked())
    const id = known.path && store.things[known.path]
    const others = await store.aKey(SCOPES.filter((scope) => scope !== operation.scope))
    const before = await contentOf(store.storeId)
    const refused = await send(operation, {
      key: others.key,
      id,
      second: secondOf(operation, store),
      body: known.body
    })
    assert.equal(refused.status, 403)
    assert.equal(refused.response.error.code, 'forbidden')
    assert.ok(refused.response.error.message.includes(operation.scope), 'the message names the scope')
    assert.deepEqual(await contentOf(store.storeId), before)

    const { key } = await store.aKey([operation.scope])
    await known.before?.(store)
    const allowed = await send(operation, { key, id, second: secondOf(operation, store), body: known.body })
    assert.equal(allowed.status, 200, JSON.stringify(allowed.response))
  })

  test(`${operation.id}: without a valid key it is refused and changes nothing`, async () => {
    const [store] = await (unchanged ??= twoStores())
    const id = known.path && store.things[known.path]
    const revoked = await store.aKey([operation.scope])
    await service.admin('DELETE', `${store.at}/keys/${revoked.id}`)
    const before = await contentOf(store.storeId)
    const keyless: Request[] = [
      {},
      { authorization: 'Bearer' },
      { authorization: `Basic ${store.key}` },
      { authorization: store.key },
      { key: `${store.key.slice(0, -1)}${store.key.endsWith('a') ? 'b' : 'a'}` },
      { key: revoked.key }
    ]
    for (const request of keyless) {
      const { status, response: result } = await send(operation, { ...request, id, body: known.body })
      assert.deepEqual([status, result.error.code], [401, 'authentication_failed'])
    }
    assert.deepEqual(await contentOf(store.storeId), before)
  })
}
