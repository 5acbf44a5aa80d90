import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Database } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'

const { db, url } = await testDatabase()
const { app } = testServer(db)

const PAUSE = '/v1/subscriptions/sub_1/pause'
const JSON_TYPE = 'application/json'

/** Every answer of the direct API has these, whatever becomes of the request. */
function assertHeaders(headers: Record<string, unknown>, limit: number) {
  assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
  assert.equal(Number(headers['x-ratelimit-limit']), limit)
  assert.ok(Number(headers['x-ratelimit-remaining']) < limit)
  assert.ok(Number(headers['x-ratelimit-reset']) > 0)
}

for (const [name, contentType, payload, message] of [
  ['no JSON', JSON_TYPE, '{"duration":', 'The body is not valid JSON'],
  ['a lone surrogate', JSON_TYPE, '{"a":"\\ud800"}', 'The body holds half of a surrogate pair'],
  ['a NUL', JSON_TYPE, '{"a":"\\u0000"}', 'The body holds a NUL character'],
  ['__proto__', JSON_TYPE, '{"__proto__":{}}', 'The body holds the key __proto__'],
  ['a key twice', JSON_TYPE, '{"duration":1,"duration":2}', 'The body holds the key "duration" twice'],
  ['invalid UTF-8', JSON_TYPE, Buffer.from([0x7b, 0xff, 0x7d]), 'The body is not valid UTF-8'],
  ['another charset', `${JSON_TYPE}; charset=latin1`, '{}', 'The body must be in UTF-8'],
  ['deep nesting', JSON_TYPE, '['.repeat(40), 'The body is nested deeper than 32'],
  ['a body over 64 KiB', JSON_TYPE, JSON.stringify({ a: 'x'.repeat(70_000) }), 'The body is larger than 64 KiB'],
  ['a list', JSON_TYPE, '[]', 'The body must be a JSON object'],
  ['null', JSON_TYPE, 'null', 'The body must be a JSON object'],
  ['a number beyond doubles', JSON_TYPE, '{"duration":1e400}', /^duration must be an integer from 1 to 365/],
  ['an unknown field', JSON_TYPE, '{"durations":1}', 'durations is not a field here; this body accepts duration'],
  ['text', 'text/plain', 'duration=1', 'A body must be sent with Content-Type: application/json'],
  [
    'a form',
    'application/x-www-form-urlencoded',
    'duration=1',
    'A body must be sent with Content-Type: application/json'
  ],
  ['no type', undefined, '{"duration":1}', 'A body must be sent with Content-Type: application/json'],
  ['a type that is none', 'json', '{"duration":1}', 'A body must be sent with Content-Type: application/json']
] as const) {
  test(`a body that is refused, ${name}: 400 in the error shape, with the headers of every answer`, async () => {
    const key = await (await aStore(db)).aKey()
    const response = await app.inject({
      method: 'POST',
      url: PAUSE,
      headers: { authorization: `Bearer ${key}`, ...(contentType && { 'content-type': contentType }) },
      payload
    })
    assert.equal(response.statusCode, 400)
    const { error } = response.json()
    assert.equal(error.code, 'invalid_request')
    if (typeof message === 'string') assert.equal(error.message, message)
    else assert.match(error.message, message)
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assertHeaders(response.headers, 300)
  })
}

test('without a key nothing of a body is looked at: 401 with the headers of every answer', async () => {
  const response = await app.inject({
    method: 'POST',
    url: PAUSE,
    remoteAddress: '10.0.1.1',
    headers: { 'content-type': JSON_TYPE },
    payload: '{"'
  })
  assert.equal(response.statusCode, 401)
  assertHeaders(response.headers, 60)
})

test('a fault inside: 500 with the headers of every answer', async () => {
  const store = await aStore(db)
  const key = await store.aKey()
  const { app } = testServer(
    new Proxy(db, {
      get: (target, name) =>
        name === 'inStore' ? () => Promise.reject(new Error('out of order')) : Reflect.get(target, name, target)
    })
  )
  const response = await app.inject({
    method: 'POST',
    url: PAUSE,
    headers: { authorization: `Bearer ${key}`, 'content-type': JSON_TYPE },
    payload: '{}'
  })
  assert.equal(response.statusCode, 500)
  assert.deepEqual(response.json(), {
    error: { code: 'internal_error', message: 'Something went wrong on our side' }
  })
  assertHeaders(response.headers, 300)
})

test('a method that few know, over a real connection: the error shape and the headers of every answer', async () => {
  const key = await (await aStore(db)).aKey()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  socket.write(`PROPFIND /v1/members HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => socket.on('close', resolve))
  const received = Buffer.concat(chunks).toString()
  assert.match(received, /^HTTP\/1\.1 404 /)
  assert.match(received, /"There is no PROPFIND \/v1\/members; this path accepts GET, HEAD"/)
  for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(received, new RegExp(`^${name}: `, 'im'))
  }
})

test('the database is gone: 503 with the headers of every answer; the budget is that of the address', async () => {
  const broken = new Database({ url: url.replace(/\/[^/]*$/, '/no_such_database') })
  const response = await testServer(broken).rest('/members', `svc_test_1_${'a'.repeat(32)}`)
  assert.equal(response.statusCode, 503)
  assert.equal(response.headers['retry-after'], '2')
  assertHeaders(response.headers, 60)
  await broken.close()
})
