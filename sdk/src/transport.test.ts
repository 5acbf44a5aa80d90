import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ConnectionError, createClient, InternalError, RateLimitedError, TimeoutError } from './index.ts'
import { aClient, answering, breakingOff, giving, type Reply, resetting, saying } from './server.test-helper.ts'

const member = { id: 'mem_1' }

for (const [name, reply, wait] of [
  ['429 with Retry-After', saying(429, 'rate_limited', { 'retry-after': '7' }), 7250],
  [
    '429 with the end of its window alone',
    saying(429, 'rate_limited', {
      date: 'Sun, 01 Mar 2026 12:00:00 GMT',
      'x-ratelimit-reset': String(Date.parse('2026-03-01T12:00:20Z') / 1000)
    }),
    20_250
  ],
  ['503 with Retry-After', saying(503, 'internal_error', { 'retry-after': '2' }), 2250],
  ['500', saying(500, 'internal_error'), 250],
  ['502 of a proxy', answering(502, '<h1>Bad gateway</h1>'), 250],
  ['a broken connection', resetting, 250],
  ['a response that breaks off', breakingOff, 250]
] as [string, Reply, number][]) {
  test(`a read is tried again after ${name}`, async () => {
    const { client, requests, waits } = await aClient([reply, giving(member)])
    assert.deepEqual(await client.members.get('mem_1'), member)
    assert.deepEqual(waits, [wait])
    assert.deepEqual(
      requests.map(({ method, url, headers }) => [method, url, headers.authorization, headers['idempotency-key']]),
      Array(2).fill(['GET', '/v1/members/mem_1', 'Bearer svc_test_1_key', undefined])
    )
  })
}

test('a write is tried again under one key and with the same body; another call has another key', async () => {
  const credit = giving({ customer_id: 'cust_1' })
  const { client, requests } = await aClient([resetting, saying(503, 'internal_error'), credit, credit])
  await client.storeCredits.add('cust_1', { amount: 5, reason: 'Sorry' })
  await client.storeCredits.add('cust_1', { amount: 5, reason: 'Sorry' })
  const keys = requests.map(({ headers }) => headers['idempotency-key'])
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/)
  assert.deepEqual(keys, [keys[0], keys[0], keys[0], keys[3]])
  assert.notEqual(keys[0], keys[3])
  assert.deepEqual(new Set(requests.map(({ body }) => body)), new Set(['{"amount":5,"reason":"Sorry"}']))
})

test('a write takes a key of the caller, of the client, or none; without one it is sent once', async () => {
  const own = await aClient([resetting, giving(member)])
  await own.client.members.update('mem_1', { first_name: 'Ada' }, { idempotencyKey: 'import-7' })
  assert.deepEqual(
    own.requests.map(({ headers }) => headers['idempotency-key']),
    ['import-7', 'import-7']
  )

  let created = 0
  const ofClient = await aClient([giving(member)], { idempotencyKey: () => `made-${++created}` })
  for (const _ of [1, 2]) await ofClient.client.members.update('mem_1', { first_name: 'Ada' })
  assert.deepEqual(
    ofClient.requests.map(({ headers }) => headers['idempotency-key']),
    ['made-1', 'made-2']
  )

  for (const [reply, error] of [
    [resetting, ConnectionError],
    [saying(503, 'internal_error'), InternalError],
    [saying(429, 'rate_limited', { 'retry-after': '1' }), RateLimitedError]
  ] as const) {
    const none = await aClient([reply, giving(member)])
    const update = none.client.members.update('mem_1', { first_name: 'Ada' }, { idempotencyKey: false })
    await assert.rejects(update, error)
    assert.deepEqual([none.requests.length, none.requests[0]!.headers['idempotency-key']], [1, undefined])
  }
  const never = await aClient([resetting], { idempotencyKey: false })
  await assert.rejects(never.client.subscriptions.pause('sub_1').then(), ConnectionError)
  assert.equal(never.requests.length, 1)
})

test('it ends with the last error when the retries are used up', async () => {
  const { client, requests, waits } = await aClient([saying(500, 'internal_error')])
  await assert.rejects(client.members.get('mem_1'), InternalError)
  assert.deepEqual([requests.length, waits], [4, [250, 500, 1000]])
  await assert.rejects(client.members.get('mem_1', { maxRetries: 1 }), InternalError)
  assert.equal(requests.length, 6)
})

test('what will not change by itself is not tried again', async () => {
  for (const status of [400, 401, 403, 404, 409, 422, 501]) {
    const { client, requests } = await aClient([saying(status, 'invalid_request')])
    await assert.rejects(client.members.get('mem_1'), { status })
    assert.equal(requests.length, 1)
  }
})

test('it does not wait beyond the deadline: it says at once how long to stay away', async () => {
  const { client, requests, waits } = await aClient([saying(429, 'rate_limited', { 'retry-after': '3600' })])
  await assert.rejects(client.members.get('mem_1'), (err) => {
    assert.ok(err instanceof RateLimitedError)
    assert.equal(err.retryAfterSeconds, 3600)
    return true
  })
  assert.deepEqual([requests.length, waits], [1, []])

  const patient = await aClient([saying(429, 'rate_limited', { 'retry-after': '3600' }), giving(member)])
  await patient.client.members.get('mem_1', { deadlineMs: 2 * 3600_000 })
  assert.deepEqual(patient.waits, [3_600_250])
})

test('a try without a whole response in time is ended and repeated, within the deadline', async () => {
  const hanging: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":')
    response.on('close', () => closed.push(true))
    setImmediate(() => slow.expire())
  }
  const closed: true[] = []
  const slow = await aClient([hanging, giving(member)], { timeoutMs: 1000 })
  assert.deepEqual(await slow.client.members.get('mem_1'), member)
  assert.deepEqual([slow.requests.length, slow.waits], [2, [250]])
  assert.deepEqual(slow.limits(), [], 'no timer is left')

  const silent: Reply = () => {
    limits.push(...dead.limits())
    dead.expire()
  }
  const limits: number[] = []
  const dead = await aClient([silent], { timeoutMs: 1000, deadlineMs: 3000 })
  await assert.rejects(dead.client.members.get('mem_1'), (err) => {
    assert.ok(err instanceof TimeoutError)
    assert.match(err.message, /^GET http.*\/v1\/members\/mem_1 got no response within 250 ms$/)
    return true
  })
  assert.deepEqual(limits, [1000, 1000, 250])
})

test("the caller's signal ends a call before it, during a try and in a wait, with its own reason", async () => {
  const reason = new Error('The user went away')
  const never = await aClient([giving(member)])
  await assert.rejects(never.client.members.get('mem_1', { signal: AbortSignal.abort(reason) }), reason)
  assert.equal(never.requests.length, 0)

  const during = new AbortController()
  const silent = await aClient([() => during.abort(reason), giving(member)])
  await assert.rejects(silent.client.members.get('mem_1', { signal: during.signal }), reason)
  assert.equal(silent.requests.length, 1)

  const waiting = new AbortController()
  const broken = await aClient([saying(503, 'internal_error'), giving(member)])
  const { sleep } = broken.timing
  broken.timing.sleep = (ms, signal) => {
    waiting.abort(reason)
    return sleep(ms, signal)
  }
  await assert.rejects(broken.client.members.get('mem_1', { signal: waiting.signal }), reason)
  assert.equal(broken.requests.length, 1)
})

test('the real clock waits, and stops waiting when the signal says so', async () => {
  const { requests, url } = await aClient([saying(500, 'internal_error', { 'retry-after': '0' }), giving(member)])
  const client = createClient({ baseUrl: `${url}/v1`, apiKey: 'k' })
  assert.deepEqual(await client.members.get('mem_1'), member)
  assert.equal(requests.length, 2)

  const slow = await aClient([saying(500, 'internal_error', { 'retry-after': '3600' })])
  const stop = new AbortController()
  const call = createClient({ baseUrl: slow.url, apiKey: 'k', deadlineMs: 10 ** 12 }).members.get('mem_1', {
    signal: stop.signal
  })
  const ended = assert.rejects(call, { name: 'AbortError' })
  while (slow.requests.length === 0) await new Promise(setImmediate)
  setImmediate(() => stop.abort())
  await ended

  const silent = await aClient([() => {}])
  await assert.rejects(
    createClient({ baseUrl: silent.url, apiKey: 'k', timeoutMs: 1, maxRetries: 0 }).members.get('mem_1'),
    TimeoutError
  )
})

test('a port that nobody listens on: the error has the reason', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'k', maxRetries: 0 })
  await assert.rejects(client.members.get('mem_1'), (err) => {
    assert.ok(err instanceof ConnectionError)
    assert.match(err.message, /failed: .*ECONNREFUSED/)
    assert.ok(err.cause)
    return true
  })
})
