import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Database, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { accountOf, at, moveTo, START } from '../../credits/credit-account.test-helper.ts'
import { refusedFor, testServer } from '../server.test-helper.ts'

const { db, url } = await testDatabase()

/** A statement of the one who owns the tables, which the service is not. */
async function owner(statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

const unlimited = { perMinute: 1_000_000, perDay: null }
const budgets = { starter: unlimited, growth: unlimited, enterprise: unlimited }
const elsewhere = new Database({ url })
beforeDrop(() => elsewhere.close())
/** Two nodes on one database; requests go to them in turns. */
const nodes = [testServer(db, { budgets }).app, testServer(elsewhere, { budgets }).app] as const
const [app] = nodes
let turn = 0

/** A store with one customer and a key, and the routes of that customer's credit. */
async function aCustomer(given: Parameters<typeof aStore>[1] = {}) {
  const store = await aStore(db, { clockAt: at(START), ...given })
  const known = await store.inStore((ctx) =>
    upsertCustomers(ctx, [{ id: '7064055069370', email: 'ada@example.com', firstName: 'Ada', lastName: null }])
  )
  const { id } = known.get('7064055069370')!
  const authorization = `Bearer ${await store.aKey()}`
  const ask = (method: 'GET' | 'POST', path: string, payload?: unknown, headers: Record<string, string> = {}) =>
    nodes[turn++ % 2]!.inject({
      method,
      url: `/v1/store-credits/${path}`,
      headers: { authorization, ...headers },
      ...(payload !== undefined && { payload: payload as object })
    })
  const cust = `cust_${id}`
  return {
    store,
    id,
    cust,
    ask,
    balance: () => ask('GET', cust),
    history: (query = '') => ask('GET', `${cust}/history${query}`),
    add: (payload: unknown, headers?: Record<string, string>) => ask('POST', `${cust}/add`, payload, headers),
    deduct: (payload: unknown, headers?: Record<string, string>) => ask('POST', `${cust}/deduct`, payload, headers)
  }
}
const meta = { total: 1, limit: 1, offset: 0, has_more: false }

test('a customer without credit has zero, not changed ever, and an empty history', async () => {
  const { cust, balance, history } = await aCustomer()
  const response = await balance()
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), {
    data: { customer_id: cust, balance: 0, reserved: 0, available: 0, currency: 'USD', updated_at: null },
    meta
  })
  assert.deepEqual((await history()).json(), { data: [], meta: { total: 0, limit: 50, offset: 0, has_more: false } })
})

test('responses to add and deduct have the balance; the history has both entries, newest first', async () => {
  const { store, cust, add, deduct, balance, history } = await aCustomer()
  const added = await add({ amount: 25, reason: 'Sorry for the late parcel', expires_at: '2026-12-31' })
  assert.equal(added.statusCode, 200)
  const of = (amount: number, updated_at: string) => ({
    data: { customer_id: cust, balance: amount, reserved: 0, available: amount, currency: 'USD', updated_at },
    meta
  })
  assert.deepEqual(added.json(), of(25, '2026-01-31T15:00:00.000Z'))
  await moveTo(store, '2026-02-01T00:00:00Z')
  const deducted = await deduct({ amount: 4.5, reason: 'Wrong customer' })
  assert.deepEqual(deducted.json(), of(20.5, '2026-02-01T00:00:00.000Z'))
  assert.deepEqual((await balance()).json(), deducted.json())

  const { data, meta: page } = (await history()).json()
  assert.deepEqual(page, { total: 2, limit: 50, offset: 0, has_more: false })
  assert.match(data[0].id, /^sct_\d+$/)
  assert.deepEqual(data, [
    {
      id: data[0].id,
      type: 'manual_deduct',
      amount: -4.5,
      balance_after: 20.5,
      reason: 'Wrong customer',
      order_id: null,
      expires_at: null,
      created_at: '2026-02-01T00:00:00.000Z'
    },
    {
      id: data[1].id,
      type: 'manual_add',
      amount: 25,
      balance_after: 25,
      reason: 'Sorry for the late parcel',
      order_id: null,
      // Midnight in New York, where the store is.
      expires_at: '2026-12-31T05:00:00.000Z',
      created_at: '2026-01-31T15:00:00.000Z'
    }
  ])
  const one = (await history('?limit=1&offset=1')).json()
  assert.deepEqual(one, { data: [data[1]], meta: { total: 2, limit: 1, offset: 1, has_more: false } })
  assert.equal((await history('?limit=1')).json().meta.has_more, true)
})

test("a customer is named by our id, by the platform's number and by its global id", async () => {
  const { cust, ask } = await aCustomer()
  for (const name of [cust, '7064055069370', encodeURIComponent('gid://platform/Customer/7064055069370')]) {
    const response = await ask('POST', `${name}/add`, { amount: 1, reason: 'x' })
    assert.equal(response.statusCode, 200, name)
    assert.equal(response.json().data.customer_id, cust)
  }
  assert.equal((await ask('GET', '7064055069370')).json().data.balance, 3)
})

test('an unknown customer, or one of another store: 404', async () => {
  const { ask } = await aCustomer()
  const other = await aCustomer()
  for (const name of [
    'cust_999999',
    'mem_1',
    '1',
    'gid:%2F%2Fplatform%2FCustomer%2F1',
    'gid:%2F%2Fshopify%2FCustomer%2F7064055069370',
    'gid:%2F%2Fplatform%2FOrder%2F7064055069370',
    'gid:%2F%2Fplatform%2FCustomer%2Fcust_1',
    other.cust,
    'x'.repeat(300)
  ]) {
    const message = `There is no customer ${decodeURIComponent(name).slice(0, 100)}`
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/history'],
      ['POST', '/add'],
      ['POST', '/deduct']
    ] as const) {
      const response = await ask(method, name + path, method === 'POST' ? { amount: 1, reason: 'x' } : undefined)
      assert.equal(response.statusCode, 404, name + path)
      assert.deepEqual(refusedFor(response, 'customer_id'), { error: { code: 'not_found', message } })
    }
  }
  assert.equal((await other.balance()).json().data.balance, 0)
})

test('a body that is not right: 400 naming the field and what it takes', async () => {
  const { add, deduct, balance } = await aCustomer()
  const amount =
    "amount must be a number above 0 and at most 1000000000, with no more decimals than the store's currency has"
  const reason = 'reason must be a text of 1 to 500 characters that is not blank'
  const date =
    'expires_at must be an ISO date from 0001-01-01 to 9999-12-31, or a date-time such as 2026-01-31T12:00:00Z'
  const good = { amount: 1, reason: 'x' }
  for (const [body, message] of [
    [{ ...good, amount: 0 }, amount],
    [{ ...good, amount: -1 }, amount],
    [{ ...good, amount: '1' }, amount],
    [{ ...good, amount: null }, amount],
    [{ ...good, amount: 1_000_000_000.01 }, amount],
    [{ ...good, amount: 2 ** 63 }, amount],
    ['{"amount":1e400,"reason":"x"}', amount],
    [{ ...good, amount: 0.001 }, 'amount must have at most 2 decimals in USD'],
    [{ ...good, amount: 1e-9 }, 'amount must have at most 2 decimals in USD'],
    ...['5.0000000000000000000000001', '0.10000000000000000555', '1000000000.00000001'].map(
      (number) =>
        [
          `{"amount":${number},"reason":"x"}`,
          `The body holds the number ${number} at "amount", which has more digits than a double keeps (up to 15 are always accepted)`
        ] as const
    ),
    [{ amount: 1 }, `reason is required and must be a text of 1 to 500 characters that is not blank`],
    [{ ...good, reason: '' }, reason],
    [{ ...good, reason: '  ' }, reason],
    [{ ...good, reason: 'x'.repeat(501) }, reason],
    [{ ...good, reason: 5 }, reason],
    [{ ...good, expires_at: 'tomorrow' }, date],
    [{ ...good, expires_at: '2026-02-30' }, date],
    [{ ...good, expires_at: '2026-01-31' }, 'expires_at must be a time after now, which is 2026-01-31T15:00:00.000Z'],
    [{ ...good, note: 'x' }, 'note is not a field here; this body accepts amount, reason, expires_at'],
    ['{"amount":1,"amount":2,"reason":"x"}', 'The body holds the key "amount" twice'],
    ['[]', 'The body must be a JSON object with amount, reason'],
    ['', 'The body must be a JSON object with amount, reason']
  ] as const) {
    const response = await add(body, { 'content-type': 'application/json' })
    assert.equal(response.statusCode, 400, JSON.stringify(body))
    assert.deepEqual(refusedFor(response), { error: { code: 'invalid_request', message } })
  }
  const expiring = await deduct({ ...good, expires_at: '2027-01-01' })
  assert.equal(expiring.json().error.message, 'expires_at is not a field here; this body accepts amount, reason')
  assert.equal((await balance()).json().data.updated_at, null)
  assert.equal((await add({ ...good, reason: '😀'.repeat(500) })).statusCode, 200)
})

test('amounts have the decimals of the currency: none in yen, three in Kuwaiti dinars', async () => {
  const yen = await aCustomer({ currency: 'JPY' })
  assert.equal((await yen.add({ amount: 500, reason: 'x' })).json().data.balance, 500)
  const half = await yen.add({ amount: 0.5, reason: 'x' })
  assert.equal(half.json().error.message, 'amount must have at most 0 decimals in JPY')
  const dinar = await aCustomer({ currency: 'KWD' })
  assert.equal((await dinar.add({ amount: 1.234, reason: 'x' })).json().data.balance, 1.234)
})

test('more than the available credit: 400 with the available amount, and nothing happens', async () => {
  const { store, id, cust, add, deduct, balance } = await aCustomer()
  await add({ amount: 5, reason: 'x' })
  const refused = await deduct({ amount: 5.01, reason: 'x' }, { 'idempotency-key': 'k' })
  assert.equal(refused.statusCode, 400)
  assert.deepEqual(refusedFor(refused, 'amount'), {
    error: {
      code: 'invalid_request',
      message: `amount is more than the available store credit: ${cust} has 5.00 USD available, and 5.01 was requested`
    }
  })
  assert.equal((await balance()).json().data.balance, 5)
  assert.equal((await accountOf(store, id)).events.length, 1)
  // The key is free again: a refusal is no answer to keep.
  await add({ amount: 5, reason: 'x' })
  const taken = await deduct({ amount: 5.01, reason: 'x' }, { 'idempotency-key': 'k' })
  assert.equal(taken.json().data.balance, 4.99)
  assert.equal(taken.headers['idempotent-replayed'], undefined)
})

test('scopes: reading takes read:store_credits, changing write:store_credits', async () => {
  const { store, cust } = await aCustomer()
  const reading = await store.aKey(['read:store_credits'])
  const writing = await store.aKey(['write:store_credits'])
  const ask = (key: string, method: 'GET' | 'POST', path: string) =>
    app.inject({
      method,
      url: `/v1/store-credits/${cust}${path}`,
      headers: { authorization: `Bearer ${key}` },
      ...(method === 'POST' && { payload: { amount: 1, reason: 'x' } })
    })
  for (const path of ['', '/history']) {
    assert.equal((await ask(reading, 'GET', path)).statusCode, 200)
    const refused = await ask(writing, 'GET', path)
    assert.equal(refused.json().error.message, 'This key lacks the scope read:store_credits')
  }
  for (const path of ['/add', '/deduct']) {
    assert.equal((await ask(writing, 'POST', path)).statusCode, 200)
    const refused = await ask(reading, 'POST', path)
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().error.message, 'This key lacks the scope write:store_credits')
  }
})

test('200 deducts of 1.00 at once over two nodes against credit for 100.00: exactly 100 succeed, 20 times over', async () => {
  for (let run = 0; run < 20; run++) {
    const { store, id, add, deduct, balance } = await aCustomer()
    await add({ amount: 100, reason: 'start' })
    const responses = await Promise.all(Array.from({ length: 200 }, () => deduct({ amount: 1, reason: 'x' })))
    const statuses = Map.groupBy(responses, ({ statusCode }) => statusCode)
    assert.deepEqual([statuses.get(200)?.length, statuses.get(400)?.length], [100, 100])
    assert.equal((await balance()).json().data.balance, 0)
    const { entries, lots, events } = await accountOf(store, id)
    assert.deepEqual([entries, lots, events.length], [101, [], 101])
    // Each response had the balance right after its own deduct.
    const reported = statuses.get(200)!.map((result) => result.json().data.balance as number)
    assert.deepEqual(
      reported.sort((a, b) => a - b),
      Array.from({ length: 100 }, (_, i) => i)
    )
  }
})

test('50 requests at once over two nodes under one key: one effect, one body, 49 replays', async () => {
  const { store, id, add, balance } = await aCustomer()
  for (let run = 1; run <= 10; run++) {
    const key = { 'idempotency-key': `once-${run}` }
    const responses = await Promise.all(Array.from({ length: 50 }, () => add({ amount: 2, reason: 'x' }, key)))
    assert.equal(new Set(responses.map(({ body }) => body)).size, 1)
    assert.deepEqual(responses[0]!.json().data.balance, 2 * run)
    assert.equal(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 49)
    assert.equal((await accountOf(store, id)).events.length, run)
  }
  const later = await add({ reason: 'x', amount: 2 }, { 'idempotency-key': 'once-1' })
  assert.deepEqual([later.json().data.balance, later.headers['idempotent-replayed']], [2, 'true'])
  const other = await add({ amount: 3, reason: 'x' }, { 'idempotency-key': 'once-1' })
  assert.equal(other.statusCode, 400)
  assert.deepEqual(refusedFor(other, 'Idempotency-Key'), {
    error: {
      code: 'invalid_request',
      message: 'Idempotency-Key was used with another request within 24 hours; use a new key for a new request'
    }
  })
  assert.equal((await balance()).json().data.balance, 20)
})

test('one key with two bodies at once: one of them has its effect, the other is refused, whatever comes between', async () => {
  const { add, deduct, balance } = await aCustomer()
  const key = { 'idempotency-key': 'two-ways' }
  const responses = await Promise.all([
    add({ amount: 100, reason: 'x' }),
    ...Array.from({ length: 6 }, (_, i) => add({ amount: 1 + (i % 2), reason: 'x' }, key))
  ])
  const kept = responses.slice(1).filter(({ statusCode }) => statusCode === 200)
  assert.equal(kept.length, 3)
  assert.equal(new Set(kept.map(({ body }) => body)).size, 1)
  assert.ok([101, 102].includes((await balance()).json().data.balance))
  // Refused first, free then: in one transaction too.
  const [, refused, other] = await Promise.all([
    add({ amount: 1, reason: 'x' }),
    deduct({ amount: 1_000, reason: 'x' }, { 'idempotency-key': 'free' }),
    deduct({ amount: 2, reason: 'x' }, { 'idempotency-key': 'free' })
  ])
  assert.deepEqual([refused!.statusCode, other!.statusCode], [400, 200])
})

test('what breaks off leaves the key free, and harms no other request of its batch', async () => {
  const { store, id, add, balance } = await aCustomer()
  const key = (name: string) => ({ 'idempotency-key': name })
  // The last statements of a change fail, as in a crash between two of them.
  await owner("alter table facts add constraint break_off check (data ->> 'reason' <> 'break off')")
  const responses = await Promise.all([
    add({ amount: 1, reason: 'x' }, key('a')),
    add({ amount: 1, reason: 'x' }, key('b')),
    add({ amount: 10, reason: 'break off' }, key('c')),
    add({ amount: 1, reason: 'x' }, key('d'))
  ])
  await owner('alter table facts drop constraint break_off')
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode),
    [200, 200, 500, 200]
  )
  assert.deepEqual(responses[2]!.json(), {
    error: { code: 'internal_error', message: 'Something went wrong on our side' }
  })
  assert.equal((await balance()).json().data.balance, 3)
  assert.equal((await accountOf(store, id)).entries, 3)

  const again = await add({ amount: 10, reason: 'break off' }, key('c'))
  assert.deepEqual([again.json().data.balance, again.headers['idempotent-replayed']], [13, undefined])
})

test('a page of a long history costs the same at any offset', async () => {
  const { store, id, add, history } = await aCustomer()
  await add({ amount: 1, reason: 'first' })
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      with made as (
        insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason,
                                    operation_id, created_at)
        select ${storeId}, ${id}, n, 2, 1, 100 + n, 'bulk', 'bulk:' || n, ${now} from generate_series(2, 20000) n)
      update credit_accounts set entries = 20000, balance_minor = 20099 where store_id = ${storeId} and member_id = ${id}`)
  )
  const page = (await history('?limit=1&offset=19999')).json()
  assert.deepEqual(
    [page.data[0].reason, page.meta],
    ['first', { total: 20000, limit: 1, offset: 19999, has_more: false }]
  )
  const whole = (await history('?limit=100&offset=19950')).json()
  assert.deepEqual([whole.data.length, whole.data[0].balance_after, whole.meta.has_more], [50, 1.5, false])
})

test('credit may expire on the last day that a date can tell', async () => {
  const { add, history } = await aCustomer()
  const { statusCode, body } = await add({ amount: 5, reason: 'For good', expires_at: '9999-12-31T23:59:59-12:00' })
  assert.equal(statusCode, 200, body)
  assert.equal((await history()).json().data[0].expires_at, '9999-12-31T23:59:59.999Z')
})
