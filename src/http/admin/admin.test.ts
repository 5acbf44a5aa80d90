import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#kit/refusal'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { OPERATOR_TOKEN, refusedFor, testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { app, admin, calls } = testServer(db)

const sound = {
  domain: 'admin.example',
  name: 'Admin',
  timezone: 'America/New_York',
  currency: 'USD',
  plan: 'growth',
  sandbox: true
}

test('without the operator token: 401 on every path', async () => {
  const key = await (await aStore(db)).aKey()
  for (const authorization of ['', `Bearer ${key}`, `Bearer ${OPERATOR_TOKEN}x`, OPERATOR_TOKEN]) {
    for (const url of ['/admin/api/stores', '/admin/api/doctor', '/admin/api/nothing']) {
      const response = await app.inject({ url, headers: { authorization } })
      assert.equal(response.statusCode, 401)
      assert.deepEqual(response.json(), {
        error: {
          code: 'authentication_failed',
          message: 'A valid operator token is needed, or a session of the admin interface'
        }
      })
    }
  }
})

test('makes a sandbox store: its shop, its webhooks, and the answer that the command line prints', async () => {
  const response = await admin('POST', '/stores', { ...sound, clock: '2026-01-31T10:00:00-05:00' })
  const { id, proxy_secret, platform_token, ...rest } = response.json()

  assert.equal(response.statusCode, 201)
  assert.match(id, /^store_\d+$/)
  assert.match(proxy_secret, /^[0-9A-Za-z]{32}$/)
  assert.match(platform_token, /^sbx_[0-9A-Za-z]{32}$/)
  assert.deepEqual(rest, {
    domain: 'admin.example',
    timezone: 'America/New_York',
    currency: 'USD',
    plan: 'growth',
    platform_url: 'http://127.0.0.1:3001'
  })
  const [shop, connected] = calls.slice(-2) as [string, Record<string, unknown>][]
  assert.equal(shop![0], 'createShop')
  assert.equal(shop![1].proxySecret, proxy_secret)
  assert.equal(shop![1].name, 'Admin')
  assert.equal(connected![0], 'connectStore')
  assert.equal(connected![1].accessToken, platform_token)

  const { created_at, ...shown } = (await admin('GET', `/stores/${id}`)).json()
  assert.ok(created_at)
  assert.deepEqual(shown, {
    id,
    domain: 'admin.example',
    name: 'Admin',
    timezone: 'America/New_York',
    currency: 'USD',
    plan: 'growth',
    sandbox: true,
    clock: '2026-01-31T15:00:00.000Z',
    profile: 'platform',
    platform_url: 'http://127.0.0.1:3001',
    status: 'active',
    connected: true,
    restored_at: null
  })
  const listed = (await admin('GET', '/stores')).json().data
  assert.ok(listed.some((store: { id: string }) => store.id === id))

  const again = await admin('POST', '/stores', sound)
  assert.equal(again.statusCode, 409)
  assert.deepEqual(refusedFor(again, 'domain'), {
    error: { code: 'conflict', message: 'There already is a store admin.example' }
  })
})

test('when the platform fails on the way, the same call made again finishes the same store', async () => {
  let failing = true
  const server = testServer(db, {
    connectStore: async () => {
      if (failing) throw new Refusal('unavailable', 'The platform did not take our webhooks: 503')
    }
  })
  const body = { ...sound, domain: 'retry.example' }
  const failed = await server.admin('POST', '/stores', body)
  assert.equal(failed.statusCode, 503)
  assert.equal((await server.admin('GET', '/stores/retry.example')).json().connected, false)

  failing = false
  const created = await server.admin('POST', '/stores', body)
  assert.equal(created.statusCode, 201)
  const shops = server.calls.filter(([name]) => name === 'createShop') as [string, { proxySecret: string }][]
  assert.deepEqual(
    shops.map(([, shop]) => shop.proxySecret),
    [created.json().proxy_secret, created.json().proxy_secret]
  )
  assert.equal((await server.admin('GET', '/stores/retry.example')).json().connected, true)
})

test('a live store brings its own platform and secrets, and gets no shop in the sandbox', async () => {
  const before = calls.length
  const response = await admin('POST', '/stores', {
    ...sound,
    domain: 'live.example',
    sandbox: false,
    platform_url: 'https://live.myshopify.com',
    access_token: 'shpat_0123456789',
    app_secret: 'app-secret-0123'
  })
  assert.equal(response.statusCode, 201)
  assert.equal(response.json().platform_token, 'shpat_0123456789')
  assert.equal(response.json().proxy_secret, 'app-secret-0123')
  assert.deepEqual(
    calls.slice(before).map(([name]) => name),
    ['connectStore']
  )
})

for (const [what, body, message] of [
  ['an unknown field', { ...sound, colour: 'red' }, /^colour is not a field here; this body accepts domain, name/],
  [
    'a missing field',
    { ...sound, currency: undefined },
    /^currency is required and must be an ISO 4217 code such as USD$/
  ],
  ['a wrong type', { ...sound, sandbox: 'yes' }, /^sandbox must be true or false$/],
  ['a zone that is none', { ...sound, timezone: 'Moon/Crater' }, /^timezone must be an IANA time zone/],
  ['an offset for a zone', { ...sound, timezone: '+01:00' }, /^timezone must be an IANA time zone/],
  ['a clock that is none', { ...sound, clock: 'noon' }, /^clock must be an instant/],
  [
    'a live store without a platform',
    { ...sound, sandbox: false },
    /^platform_url is required without sandbox; access_/
  ],
  ['a sandbox store with a token', { ...sound, access_token: 'shpat_01234567' }, /^access_token is not accepted with/]
] as const) {
  test(`refuses to make a store with ${what}`, async () => {
    const response = await admin('POST', '/stores', { ...body, domain: 'refused.example' })
    assert.equal(response.statusCode, 400)
    assert.equal(response.json().error.code, 'invalid_request')
    assert.match(response.json().error.message, message)
    assert.equal((await admin('GET', '/stores/refused.example')).statusCode, 404)
  })
}

test('bodies that are not as they must be: 400, whatever is wrong with them', async () => {
  const json = 'application/json'
  const post = (payload: string | Buffer | undefined, contentType?: string) =>
    app.inject({
      method: 'POST',
      url: '/admin/api/doctor',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(contentType && { 'content-type': contentType }) },
      ...(payload !== undefined && { payload })
    })
  for (const [payload, contentType, message] of [
    ['{"store":"a","store":"b"}', json, 'The body holds the key "store" twice'],
    ['{"__proto__":{}}', json, 'The body holds the key __proto__'],
    ['{"store":"\\u0000"}', json, 'The body holds a NUL character'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), json, 'The body is not valid UTF-8'],
    [`{"store":${'['.repeat(40)}${']'.repeat(40)}}`, json, 'The body is nested deeper than 32'],
    ['{', json, 'The body is not valid JSON'],
    ['[]', json, 'The body must be a JSON object'],
    ['null', json, 'The body must be a JSON object'],
    ['"text"', json, 'The body must be a JSON object'],
    ['{}', undefined, 'A body must be sent with Content-Type: application/json'],
    ['{}', 'text/plain', 'A body must be sent with Content-Type: application/json'],
    ['a=1', 'application/x-www-form-urlencoded', 'A body must be sent with Content-Type: application/json'],
    ['{}', 'application/json; charset=latin1', 'The body must be in UTF-8'],
    [`{"store":"${'x'.repeat(256 * 1024)}"}`, json, 'The body is larger than 256 KiB']
  ] as const) {
    const response = await post(payload, contentType)
    assert.equal(response.statusCode, 400, String(message))
    assert.deepEqual(refusedFor(response), { error: { code: 'invalid_request', message } })
  }
  assert.equal((await post('{}', 'application/json; charset=UTF-8')).statusCode, 200)
  // What may be empty may be missing.
  assert.equal((await post('', json)).statusCode, 200)
  assert.equal((await post(undefined)).statusCode, 200)
})
