import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#kit/refusal'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { OPERATOR_TOKEN, testServer } from '../server.test-helper.ts'
import { loggedUrl } from '../shared/logged-url.ts'

const { db } = await testDatabase()

test('health: alive, ready or not with the reason, metrics as the exporter writes them', async () => {
  const { app } = testServer(db)
  assert.deepEqual((await app.inject('/livez')).json(), { status: 'ok' })
  assert.deepEqual((await app.inject('/readyz')).json(), { status: 'ok', checks: { database: 'ok' } })
  const metrics = await app.inject('/metrics')
  assert.equal(metrics.body, 'up 1\n')
  assert.ok(metrics.headers['x-request-id'])

  const sick = testServer(db, {
    health: { ready: async () => ({ ready: false, checks: { database: 'no answer' } }), metrics: (_, res) => res.end() }
  })
  const response = await sick.app.inject('/readyz')
  assert.equal(response.statusCode, 503)
  assert.deepEqual(response.json(), { status: 'unavailable', checks: { database: 'no answer' } })
})

test('every answer has a request id of our own', async () => {
  const { app } = testServer(db)
  const ids = []
  for (const url of [
    '/livez',
    '/v1/members',
    '/apps/svc-api/v1/x',
    '/admin/api/stores',
    '/nothing',
    '/%zz',
    '/v1/%zz'
  ]) {
    const { headers } = await app.inject({ url, headers: { 'x-request-id': 'chosen-by-the-client' } })
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, url)
    ids.push(headers['x-request-id'])
  }
  assert.equal(new Set(ids).size, ids.length)
})

test('a path outside every surface: 404', async () => {
  const { app } = testServer(db)
  for (const [method, url, allow] of [
    ['GET', '/nothing'],
    ['GET', '/platform/webhooks', 'POST'],
    ['POST', '/livez', 'GET, HEAD']
  ] as const) {
    const response = await app.inject({ method, url })
    assert.equal(response.statusCode, 404)
    assert.equal(response.headers.allow, allow)
    const message = `There is no ${method} ${url}${allow ? `; this path accepts ${allow}` : ''}`
    assert.deepEqual(response.json(), { error: { code: 'not_found', message } })
  }
})

test('logs hold no key, no token, no signature, no e-mail address and no body', async () => {
  const { app, rest, logged } = testServer(db)
  const store = await aStore(db)
  const key = await store.aKey()
  await rest('/members?email=canary%40example.com&limit=5', key)
  await app.inject(`/apps/svc-api/v1/data/members?key=${key}&signature=canary&since_id=7`)
  await app.inject({
    method: 'POST',
    url: '/admin/api/stores',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    payload: { name: 'canary' }
  })
  assert.doesNotMatch(logged(), /canary/)
  assert.ok(!logged().includes(key.slice(-32)))
  assert.ok(!logged().includes(OPERATOR_TOKEN))
  const line = JSON.parse(logged().split('\n')[0]!)
  assert.equal(line.url, '/v1/members?email=[hidden]&limit=5')
  assert.equal(line.status, 200)
  assert.deepEqual(line.store, { id: store.storeId })
  assert.match(line.msg, /^GET \/v1\/members\?email=\[hidden\]&limit=5 200 in [0-9.]+ ms$/)
  assert.match(logged(), /key=\[hidden\]&signature=\[hidden\]&since_id=7/)
})

for (const [url, shown] of [
  ['/v1/members', '/v1/members'],
  ['/x?key=a&limit=3', '/x?key=[hidden]&limit=3'],
  ['/x?k%65y=a', '/x?[hidden]=[hidden]'],
  ['/x?ada@example.com', '/x?[hidden]'],
  ['/x?limit=ada%40example.com&status=a b&offset=0', '/x?limit=[hidden]&status=[hidden]&offset=0'],
  ['/x?created_after=2026-01-31T12:00:00+01:00', '/x?created_after=2026-01-31T12:00:00+01:00'],
  ['/v1/members/ada@example.com?limit=1', '/v1/members/[hidden]?limit=1'],
  ['/v1/members/ada%40example.com', '/v1/members/[hidden]'],
  ['/v1/store-credits/7064055069301/add', '/v1/store-credits/[hidden]/add'],
  ['/v1/store-credits/cust_7/codes', '/v1/store-credits/cust_7/codes'],
  ['/v1/store-credits/gid%3A%2F%2Fplatform%2FCustomer%2F70640', '/v1/store-credits/[hidden]'],
  ['/v1/store-credits/gid://platform/Customer/70640/add', '/v1/store-credits/gid://platform/Customer/[hidden]/add'],
  ['/v1/members/%zz', '/v1/members/%zz'],
  ['/x?email=a@b.c&email=d@e.f', '/x?email=[hidden]&email=[hidden]'],
  ['/x?flag', '/x?flag'],
  ['/x?', '/x?'],
  ['/v1/members#email=ada', '/v1/members#[hidden]'],
  ['/x?limit=1#a&ada', '/x?limit=1#[hidden]']
] as const) {
  test(`logs ${url} as ${shown}`, () => assert.equal(loggedUrl(url), shown))
}

test('a bug is logged once, without what a database error quotes, and answered without detail', async () => {
  const bug = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(canary@example.com)' })
  const { admin, logged } = testServer(db, { doctor: () => Promise.reject(bug) })
  const response = await admin('POST', '/doctor', {})

  assert.equal(response.statusCode, 500)
  assert.deepEqual(response.json(), {
    error: { code: 'internal_error', message: 'Something went wrong on our side; the log has more' }
  })
  const errors = logged()
    .split('\n')
    .filter((line) => line.includes('"level":50'))
  assert.equal(errors.length, 1)
  assert.match(errors[0]!, /POST \/admin\/api\/doctor failed: duplicate key/)
  assert.doesNotMatch(logged(), /canary/)
})

test('a refusal is no bug: nothing is logged as an error', async () => {
  const { admin, logged } = testServer(db, { doctor: () => Promise.reject(new Refusal('unavailable', 'Not now')) })
  const response = await admin('POST', '/doctor', {})
  assert.equal(response.statusCode, 503)
  assert.deepEqual(response.json(), { error: { code: 'unavailable', message: 'Not now' } })
  assert.doesNotMatch(logged(), /"level":50/)
})

test('the use of a key is on record once the server has closed', async () => {
  const { app, rest } = testServer(db)
  const store = await aStore(db)
  await rest('/members', await store.aKey())
  await app.close()
  const listed = await testServer(db).admin('GET', `/stores/${store.domain}/keys`)
  assert.ok(listed.json().data[0].last_used_at)
})
