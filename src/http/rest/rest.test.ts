import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Database } from '#kit/postgres'
import { createKey, revokeKey } from '#stores'
import { memberFilters, queryFields } from '#views'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { refusedFor, testServer } from '../server.test-helper.ts'

const { db, url } = await testDatabase()
const { app, rest } = testServer(db)

const unauthenticated = { error: { code: 'authentication_failed', message: 'A valid API key is needed' } }

/** What is said of a parameter that the list of members does not have. */
const unknown = `is not a parameter here; this route accepts limit, offset, ${Object.keys(queryFields(memberFilters)).join(', ')}`

/** The budget's headers as numbers; the end of the window is checked, not returned. */
function budgetOf(response: Awaited<ReturnType<typeof rest>>) {
  const { headers } = response
  assert.ok(Number(headers['x-ratelimit-reset']) % 60 === 0)
  return { limit: Number(headers['x-ratelimit-limit']), remaining: Number(headers['x-ratelimit-remaining']) }
}

test('without a key, with a wrong or a revoked one: 401, with budget headers of the address', async () => {
  const store = await aStore(db)
  const { key, id } = await createKey(db, { storeId: store.storeId, name: 'Gone' })
  await revokeKey(db, store.storeId, id)
  const presented = [undefined, '', 'Bearer', 'Bearer nonsense', `Basic ${key}`, `Bearer ${key}`, `Bearer ${key} x`]

  for (const [i, authorization] of presented.entries()) {
    const response = await app.inject({
      url: '/v1/members',
      remoteAddress: '10.0.0.1',
      ...(authorization !== undefined && { headers: { authorization } })
    })
    assert.equal(response.statusCode, 401, String(authorization))
    assert.deepEqual(response.json(), unauthenticated)
    assert.equal(response.headers['www-authenticate'], 'Bearer')
    assert.deepEqual(budgetOf(response), { limit: 60, remaining: 59 - i })
  }
})

test('an address that keeps guessing has to wait; a valid key from there still works', async () => {
  const store = await aStore(db)
  const guess = () => app.inject({ url: '/v1/members', remoteAddress: '10.0.0.2' })
  const guesses = []
  while (guesses.length < 200 && guesses.at(-1)?.statusCode !== 429) guesses.push(await guess())

  const last = guesses.at(-1)!
  assert.deepEqual(last.json(), {
    error: { code: 'rate_limited', message: 'Too many requests: the limit is 60 per minute' }
  })
  assert.ok(Number(last.headers['retry-after']) >= 1)
  const valid = await app.inject({
    url: '/v1/members',
    remoteAddress: '10.0.0.2',
    headers: { authorization: `Bearer ${await store.aKey()}` }
  })
  assert.equal(valid.statusCode, 200)
})

test('a key without the scope: 403 naming it, counted for its store', async () => {
  const store = await aStore(db)
  const key = await store.aKey(['write:members', 'read:billing'])
  for (const [path, scope] of [
    ['/members', 'read:members'],
    ['/members/mem_1', 'read:members'],
    ['/subscriptions', 'read:subscriptions'],
    ['/subscriptions/sub_1?nonsense=1', 'read:subscriptions']
  ] as const) {
    const response = await rest(path, key)
    assert.equal(response.statusCode, 403)
    assert.deepEqual(response.json(), { error: { code: 'forbidden', message: `This key lacks the scope ${scope}` } })
    assert.equal(budgetOf(response).limit, 300)
  }
  assert.equal((await rest('/billing-attempts', key)).statusCode, 200)
})

test('every route of the direct API asks for a scope', async () => {
  const routes = app.printRoutes({ commonPrefix: false, includeMeta: false })
  assert.match(routes, /members/)
  const key = await (await aStore(db)).aKey(['read:data'])
  for (const path of ['/members', '/members/x', '/subscriptions', '/subscriptions/x', '/billing-attempts']) {
    assert.equal((await rest(path, key)).statusCode, 403, path)
  }
})

test('unknown routes and wrong methods: 404 in the same shape, with budget headers and what the path takes', async () => {
  const key = await (await aStore(db)).aKey()
  for (const [method, path, allow] of [
    ['GET', ''],
    ['GET', '/'],
    ['GET', '/nothing'],
    ['GET', '/members/mem_1/nothing'],
    ['HEAD', '/nothing'],
    ['DELETE', '/nothing'],
    ['DELETE', '/members', 'GET, HEAD'],
    ['OPTIONS', '/members', 'GET, HEAD'],
    ['POST', '/billing-attempts', 'GET, HEAD'],
    ['PUT', '/subscriptions/sub_1', 'GET, HEAD, PATCH'],
    ['GET', '/subscriptions/sub_1/pause', 'POST'],
    ['HEAD', '/subscriptions/sub_1/pause', 'POST']
  ] as const) {
    const url = `/v1${path}`
    const authorization = `Bearer ${key}`
    const response = await app.inject({
      method,
      url,
      headers: { authorization },
      ...(method === 'POST' && { payload: { a: 1 } })
    })
    assert.equal(response.statusCode, 404, `${method} ${url}`)
    assert.equal(response.headers.allow, allow)
    const message = `There is no ${method} ${url}${allow ? `; this path accepts ${allow}` : ''}`
    assert.equal(response.body, method === 'HEAD' ? '' : JSON.stringify({ error: { code: 'not_found', message } }))
    assert.equal(budgetOf(response).limit, 300)
    assert.ok(response.headers['x-request-id'])
  }
})

test('unknown ids and ids of other forms: 404', async () => {
  const key = await (await aStore(db)).aKey()
  for (const [path, message] of [
    ['/members/mem_999999', 'There is no member mem_999999'],
    ['/members/sub_1', 'There is no member sub_1'],
    ['/members/mem_99999999999999999999', 'There is no member mem_99999999999999999999'],
    ['/members/mem_01', 'There is no member mem_01'],
    ['/members/mem_1%00', 'There is no member mem_1\0'],
    ["/members/mem_1'%20or%201=1", "There is no member mem_1' or 1=1"],
    [`/members/${'9'.repeat(300)}`, `There is no member ${'9'.repeat(100)}`],
    ['/subscriptions/sub_999999', 'There is no subscription sub_999999']
  ] as const) {
    const response = await rest(path, key)
    assert.equal(response.statusCode, 404, path)
    assert.deepEqual(refusedFor(response), { error: { code: 'not_found', message } })
  }
})

test('wrong parameters: 400 naming each and what it takes', async () => {
  const key = await (await aStore(db)).aKey()
  const limit = 'limit must be an integer from 1 to 100'
  const offset = 'offset must be an integer from 0 to 1000000000'
  const date = 'an ISO date from 0001-01-01 to 9999-12-31, or a date-time such as 2026-01-31T12:00:00Z'
  for (const [path, message] of [
    ['/members?limit=0', limit],
    ['/members?limit=101', limit],
    ['/members?limit=1e1', limit],
    ['/members?limit=', limit],
    ['/members?limit=5&limit=6', 'limit is given more than once'],
    ['/members?offset=-1', offset],
    ['/members?offset=1.5', offset],
    ['/members?offset=99999999999999999999', offset],
    ['/members?status=ACTIVE', 'status must be active, paused or cancelled'],
    ['/members?email=', 'email must be an e-mail address'],
    ['/members/mem_1?x=1', 'x is not a parameter here; this route accepts no parameters'],
    ['/members?customer_id=1', `customer_id ${unknown}`],
    ['/billing-attempts?status=SUCCESS', 'status must be success, failed or pending'],
    ['/subscriptions?created_after=2026-02-30', `created_after must be ${date}`],
    ['/subscriptions?created_after=yesterday', `created_after must be ${date}`],
    ['/subscriptions?created_before=2026-01-01T25:00:00Z', `created_before must be ${date}`],
    ['/billing-attempts?date_from=0000-01-01', `date_from must be ${date}`],
    ['/billing-attempts?date_to=infinity', `date_to must be ${date}`],
    ['/members?email=a%00b', 'The query string holds a NUL character'],
    ['/members?email=%ff', 'The query string holds a broken percent escape'],
    ['/members?email=%zz', 'The query string holds a broken percent escape']
  ] as const) {
    const response = await rest(path, key)
    assert.equal(response.statusCode, 400, path)
    assert.deepEqual(refusedFor(response), { error: { code: 'invalid_request', message } })
    assert.equal(budgetOf(response).limit, 300)
  }
})

test('several wrong parameters: details tell each', async () => {
  const response = await rest('/members?limit=x&foo=1', await (await aStore(db)).aKey())
  assert.equal(response.statusCode, 400)
  assert.deepEqual(response.json(), {
    error: {
      code: 'invalid_request',
      message: `limit must be an integer from 1 to 100; foo ${unknown}`,
      details: [
        { field: 'limit', code: 'invalid', message: 'must be an integer from 1 to 100' },
        { field: 'foo', code: 'unknown', message: unknown }
      ]
    }
  })
})

test('over the budget: 429 instead of any answer, exactly at the limit, over two processes', async () => {
  const elsewhere = new Database({ url })
  const other = testServer(elsewhere)
  const responses = []
  for (;;) {
    const store = await aStore(db, { plan: 'starter' })
    const key = await store.aKey()
    responses.length = 0
    for (let wave = 0; wave < 5; wave++) {
      const paths = ['/members', '/members/mem_404', '/nothing', '/members?limit=0']
      responses.push(...(await Promise.all([rest, other.rest].flatMap((get) => paths.map((path) => get(path, key))))))
      responses.push(...(await Promise.all([rest, other.rest].flatMap((get) => paths.map((path) => get(path, key))))))
    }
    // The end of a minute may fall in between; then once more with another store.
    if (new Set(responses.map(({ headers }) => headers['x-ratelimit-reset'])).size === 1) break
  }
  const refused = responses.filter(({ statusCode }) => statusCode === 429)
  assert.equal(responses.length - refused.length, 60)
  for (const response of refused) {
    assert.deepEqual(response.json(), {
      error: { code: 'rate_limited', message: 'Too many requests: the limit is 60 per minute' }
    })
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(budgetOf(response), { limit: 60, remaining: 0 })
    assert.ok(Number(response.headers['retry-after']) <= 60)
  }
  await elsewhere.close()
})

test('reading one member costs one statement, and counting is shared by requests at once', async () => {
  const key = await (await aStore(db)).aKey()
  await rest('/members/mem_1', key)
  const before = db.stats.statements
  await Promise.all(Array.from({ length: 20 }, () => rest('/members/mem_1', key)))
  const statements = db.stats.statements - before
  assert.ok(statements >= 21 && statements <= 26, `${statements} statements for 20 requests`)
})

test('when the database is gone: 503 without detail, not a hanging request', async () => {
  const broken = new Database({ url: url.replace(/\/[^/]*$/, '/no_such_database') })
  const server = testServer(broken)
  const response = await server.rest('/members', `svc_test_1_${'a'.repeat(32)}`)
  assert.equal(response.statusCode, 503)
  const { error } = response.json()
  assert.equal(error.code, 'internal_error')
  assert.match(error.message, /^The database does not respond at the moment\./)
  assert.match(server.logged(), /"msg":"GET refused: database \\"no_such_database\\" does not exist"/)
  await broken.close()
})

test('HEAD of a list: the headers of GET without its body, also over the budget', async () => {
  const store = await aStore(db, { plan: 'starter' })
  const authorization = `Bearer ${await store.aKey()}`
  const head = () => app.inject({ method: 'HEAD', url: '/v1/members', headers: { authorization } })
  const heads = []
  while (heads.length < 200 && heads.at(-1)?.statusCode !== 429) heads.push(await head())
  assert.equal(heads[0]!.statusCode, 200)
  assert.equal(heads[0]!.headers['x-ratelimit-limit'], '60')
  assert.ok(heads.every(({ body }) => body === ''))
})
