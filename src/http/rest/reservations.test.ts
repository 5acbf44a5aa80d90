import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCredits } from '#credits'
import { Database, int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { at, moveTo, START } from '../../credits/credit-account.test-helper.ts'
import { refusedFor, testServer } from '../server.test-helper.ts'

const { db, url } = await testDatabase()

const unlimited = { perMinute: 1_000_000, perDay: null }
const budgets = { starter: unlimited, growth: unlimited, enterprise: unlimited }
const elsewhere = new Database({ url })
beforeDrop(() => elsewhere.close())
/** Two nodes on one database; requests go to them in turns. */
const nodes = [testServer(db, { budgets }).app, testServer(elsewhere, { budgets }).app] as const
let turn = 0

/** A store with a customer who has credit for 100.00, and the routes of their reservations. */
async function aCustomer(scopes?: string[]) {
  const store = await aStore(db, { clockAt: at(START) })
  const known = await store.inStore((ctx) =>
    upsertCustomers(ctx, [{ id: '7064055069370', email: 'ada@example.com', firstName: null, lastName: null }])
  )
  const { id } = known.get('7064055069370')!
  const added = { memberId: id, type: 'manual_add' as const, amountMinor: 10_000, reason: 'x', operationId: 'start' }
  await store.inStore((ctx) => changeCredits(ctx, [added]))
  const authorization = `Bearer ${await store.aKey(scopes as never)}`
  const cust = `cust_${id}`
  const post = (path: string, payload: object = {}, headers: Record<string, string> = {}) =>
    nodes[turn++ % 2]!.inject({
      method: 'POST',
      url: `/v1/store-credits/${path}`,
      headers: { authorization, ...headers },
      payload
    })
  return {
    store,
    cust,
    post,
    reserve: (payload: object, headers?: Record<string, string>) => post(`${cust}/reservations`, payload, headers),
    capture: (reservation: string, payload: object = {}, headers?: Record<string, string>) =>
      post(`${cust}/reservations/${reservation}/capture`, payload, headers),
    release: (reservation: string) => post(`${cust}/reservations/${reservation}/release`),
    get: (reservation: string, of = cust) =>
      nodes[turn++ % 2]!.inject({
        url: `/v1/store-credits/${of}/reservations/${reservation}`,
        headers: { authorization }
      }),
    credit: async () => {
      const response = await nodes[0].inject({ url: `/v1/store-credits/${cust}`, headers: { authorization } })
      const { balance, reserved, available } = response.json().data
      return [balance, reserved, available]
    },
    order: (owner: number | null = id, platformId = '4711') =>
      store.inStore(({ tx, storeId, now }) =>
        tx.one(
          row({ id: int }),
          sql`
          insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor,
                              discount_minor, financial_status, tags, discount_codes, processed_at, platform_updated_at,
                              created_at, updated_at)
          values (${storeId}, ${platformId}, ${owner}, '#1', '1', 'USD', 6000, 0, 0, 'PAID', '{}', '{}', ${now}, ${now}, ${now}, ${now})
          returning id`
        )
      )
  }
}
const meta = { total: 1, limit: 1, offset: 0, has_more: false }

test('reserve, capture a part: the responses have the reservation, the balance what is reserved', async () => {
  const { cust, reserve, capture, credit, order } = await aCustomer()
  const { id: orderId } = await order()
  const reserved = await reserve({ amount: 40, duration: 15, reason: 'Checkout 7' })
  assert.equal(reserved.statusCode, 200, reserved.body)
  const { id } = reserved.json().data
  assert.match(id, /^scr_\d+$/)
  const open = {
    id,
    customer_id: cust,
    status: 'reserved',
    amount: 40,
    captured_amount: null,
    currency: 'USD',
    transaction_id: null,
    expires_at: '2026-01-31T15:15:00.000Z',
    created_at: '2026-01-31T15:00:00.000Z',
    ended_at: null
  }
  assert.deepEqual(reserved.json(), { data: open, meta })
  assert.deepEqual(await credit(), [100, 40, 60])
  const captured = await capture(id, { amount: 25, order_id: 'gid://platform/Order/4711' })
  const { transaction_id } = captured.json().data
  const ended = { status: 'captured', captured_amount: 25, transaction_id, ended_at: '2026-01-31T15:00:00.000Z' }
  assert.deepEqual(captured.json(), { data: { ...open, ...ended }, meta })
  assert.deepEqual(await credit(), [75, 0, 75])
  const history = await nodes[0].inject({
    url: `/v1/store-credits/${cust}/history?limit=1`,
    headers: captured.raw.req.headers as Record<string, string>
  })
  const [entry] = history.json().data
  assert.deepEqual(
    [entry.id, entry.type, entry.amount, entry.reason, entry.order_id],
    [transaction_id, 'redemption', -25, 'Checkout 7', `ord_${orderId}`]
  )
})

test('a released reservation, and one whose time is over, are aborted and leave no entry', async () => {
  const { store, reserve, release, capture, credit } = await aCustomer()
  const first = (await reserve({ amount: 40 })).json().data
  assert.equal(first.expires_at, '2026-01-31T15:30:00.000Z')
  const released = (await release(first.id)).json().data
  assert.deepEqual([released.status, released.transaction_id], ['aborted', null])
  const second = (await reserve({ amount: 40, duration: 1 })).json().data
  await moveTo(store, '2026-01-31T15:01:00Z')
  assert.deepEqual(await credit(), [100, 0, 100])
  const late = await capture(second.id)
  assert.deepEqual([late.statusCode, late.json().error.code], [400, 'invalid_request'])
  assert.match(late.json().error.message, /ended at 2026-01-31T15:01:00\.000Z, when its time was over/)
})

test('captured twice, for more than is reserved, after a release: 400 that says why, and nothing happens', async () => {
  const { reserve, capture, release, credit } = await aCustomer()
  const { id } = (await reserve({ amount: 40 })).json().data
  const more = await capture(id, { amount: 40.01 })
  assert.equal(more.statusCode, 400)
  assert.deepEqual(refusedFor(more, 'amount'), {
    error: {
      code: 'invalid_request',
      message: 'amount must be at most 40.00 USD, which is reserved; 40.01 was requested'
    }
  })
  assert.deepEqual(await credit(), [100, 40, 60])
  assert.equal((await capture(id)).statusCode, 200)
  for (const again of [await capture(id), await release(id)]) {
    assert.equal(again.statusCode, 400)
    assert.match(again.json().error.message, /^Reservation scr_\d+ was captured at /)
  }
  assert.deepEqual(await credit(), [60, 0, 60])
})

test('an order of another customer cannot be named; one of nobody can', async () => {
  const { store, reserve, capture, credit, order } = await aCustomer()
  const bob = await store.inStore((ctx) =>
    upsertCustomers(ctx, [{ id: '9', email: 'bob@example.com', firstName: null, lastName: null }])
  )
  await order(bob.get('9')!.id, '81')
  await order(null, '82')
  const { id } = (await reserve({ amount: 40 })).json().data
  const refused = await capture(id, { order_id: '81' })
  assert.equal(refused.statusCode, 400)
  const message = 'must be an order of this customer; it is one of another customer'
  assert.equal(refused.json().error.message, `order_id ${message}`)
  assert.deepEqual(refused.json().error.details, [{ field: 'order_id', code: 'invalid', message }])
  assert.deepEqual(await credit(), [100, 40, 60])
  assert.equal((await capture(id, { order_id: '82' })).statusCode, 200)
})

test('wrong bodies and ids: 400 or 404 naming the field', async () => {
  const { reserve, capture, post, cust } = await aCustomer()
  const { id } = (await reserve({ amount: 40 })).json().data
  const amount =
    "amount must be a number above 0 and at most 1000000000, with no more decimals than the store's currency has"
  for (const [response, message, status = 400] of [
    [await reserve({}), amount.replace('must', 'is required and must')],
    [await reserve({ amount: 0 }), amount],
    [await reserve({ amount: -1 }), amount],
    [await reserve({ amount: 0.001 }), 'amount must have at most 2 decimals in USD'],
    [await reserve({ amount: 1, duration: 0 }), 'duration must be an integer from 1 to 1440 minutes'],
    [await reserve({ amount: 1, duration: 1441 }), 'duration must be an integer from 1 to 1440 minutes'],
    [
      await reserve({ amount: 1, currency: 'EUR' }),
      'currency is not a field here; this body accepts amount, reason, duration'
    ],
    [
      await reserve({ amount: 61 }),
      `amount is more than the available store credit: ${cust} has 60.00 USD available, and 61.00 was requested`
    ],
    [await capture(id, { amount: -1 }), amount],
    [await capture(id, { order_id: '4712' }), 'order_id must be an order of the store that is known here'],
    [await capture('scr_999999'), 'There is no reservation scr_999999 of this customer', 404],
    [await capture('sct_1'), 'There is no reservation sct_1 of this customer', 404],
    [await post('cust_999999/reservations', { amount: 1 }), 'There is no customer cust_999999', 404]
  ] as const) {
    assert.equal(response.statusCode, status, response.body)
    assert.equal(response.json().error.message, message)
  }
})

test('a reservation is read, open and ended, also before the engine has ended it, and by its customer only', async () => {
  const { store, cust, get, reserve, capture, release } = await aCustomer()
  const reserved = (await reserve({ amount: 10, duration: 15 })).json()
  const { id } = reserved.data
  assert.deepEqual((await get(id)).json(), reserved)
  const captured = (await capture(id, { amount: 4 })).json()
  assert.deepEqual((await get(id)).json(), captured)
  const other = (await reserve({ amount: 1 })).json().data.id
  const released = (await release(other)).json()
  assert.deepEqual((await get(other)).json(), released)
  const { id: third, expires_at: at } = (await reserve({ amount: 1, duration: 15 })).json().data
  await moveTo(store, at)
  const { status, ended_at: endedAt } = (await get(third)).json().data
  assert.deepEqual([status, endedAt], ['aborted', at])
  for (const [path, customer] of [
    ['scr_999999', cust],
    ['sct_1', cust],
    [id, 'cust_999999']
  ] as const) {
    assert.equal((await get(path, customer)).statusCode, 404)
  }
})

test('reading a reservation takes the scope read:store_credits, and another customer has none of it', async () => {
  const { store, reserve } = await aCustomer()
  const { id } = (await reserve({ amount: 1 })).json().data
  const known = await store.inStore((ctx) =>
    upsertCustomers(ctx, [{ id: '7064055069371', email: 'bo@example.com', firstName: null, lastName: null }])
  )
  const url = (memberId: number) => `/v1/store-credits/cust_${memberId}/reservations/${id}`
  const read = async (scope: string, memberId: number) => {
    const headers = { authorization: `Bearer ${await store.aKey([scope] as never)}` }
    return (await nodes[0].inject({ url: url(memberId), headers })).statusCode
  }
  const other = known.get('7064055069371')!.id
  assert.deepEqual([await read('write:store_credits', other - 1), await read('read:store_credits', other)], [403, 404])
})

test('one key reserves and captures once, over two nodes at once', async () => {
  const { reserve, capture, credit } = await aCustomer()
  const key = { 'idempotency-key': 'once' }
  const reserved = await Promise.all(Array.from({ length: 20 }, () => reserve({ amount: 10 }, key)))
  assert.equal(new Set(reserved.map(({ body }) => body)).size, 1)
  assert.deepEqual(await credit(), [100, 10, 90])
  const { id } = reserved[0]!.json().data
  const other = { 'idempotency-key': 'capture' }
  const captured = await Promise.all(Array.from({ length: 20 }, () => capture(id, {}, other)))
  assert.equal(new Set(captured.map(({ body }) => body)).size, 1)
  assert.equal(captured.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 19)
  assert.deepEqual(await credit(), [90, 0, 90])
})

test('100 reservations of 2.00 and 100 deducts of 1.00 at once over two nodes: no credit is promised twice', async () => {
  const { cust, post, reserve, credit } = await aCustomer()
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      i % 2 === 0 ? reserve({ amount: 2 }) : post(`${cust}/deduct`, { amount: 1, reason: 'x' })
    )
  )
  const done = (parity: number) =>
    responses.filter(({ statusCode }, i) => statusCode === 200 && i % 2 === parity).length
  const [reserved, deducted] = [done(0), done(1)]
  assert.deepEqual(await credit(), [100 - deducted, 2 * reserved, 100 - deducted - 2 * reserved])
  assert.ok(100 - deducted - 2 * reserved <= 1)
  assert.ok(responses.every(({ statusCode }) => statusCode === 200 || statusCode === 400))
})

test('reserving, capturing and releasing take the scope write:store_credits', async () => {
  const { reserve, capture, release } = await aCustomer(['read:store_credits'])
  for (const response of [await reserve({ amount: 1 }), await capture('scr_1'), await release('scr_1')]) {
    assert.equal(response.statusCode, 403)
    assert.equal(response.json().error.message, 'This key lacks the scope write:store_credits')
  }
})
