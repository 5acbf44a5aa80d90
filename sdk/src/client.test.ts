import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiError,
  AuthenticationError,
  createClient,
  ForbiddenError,
  InternalError,
  InvalidRequestError,
  NotFoundError,
  PerennialError,
  RateLimitedError
} from './index.ts'
import { aClient, answering, giving, saying } from './server.test-helper.ts'

const FACTS = {
  'x-ratelimit-limit': '120',
  'x-ratelimit-remaining': '119',
  'x-ratelimit-reset': '1797315960'
}
const rateLimit = { limit: 120, remaining: 119, resetsAt: new Date(1797315960_000) }

for (const [status, code, type] of [
  [400, 'invalid_request', InvalidRequestError],
  [401, 'authentication_failed', AuthenticationError],
  [403, 'forbidden', ForbiddenError],
  [404, 'not_found', NotFoundError],
  [429, 'rate_limited', RateLimitedError],
  [500, 'internal_error', InternalError]
] as const) {
  test(`${status} ${code} is thrown as ${type.name}, with all that is known of it`, async () => {
    const { client } = await aClient([saying(status, code, FACTS)], { maxRetries: 0 })
    await assert.rejects(client.members.get('mem_1'), (err) => {
      assert.ok(err instanceof type && err instanceof ApiError && err instanceof PerennialError)
      assert.deepEqual(
        [err.name, err.message, err.status, err.code, err.requestId, err.rateLimit],
        [type.name, `It says ${code}`, status, code, 'req-1', rateLimit]
      )
      assert.equal(err.headers.get('x-request-id'), 'req-1')
      return true
    })
  })
}

test('the details of a malformed request are there, or empty when no field is at fault', async () => {
  const details = [{ field: 'limit', code: 'invalid', message: 'must be an integer' }]
  const { client } = await aClient([
    answering(400, { error: { code: 'invalid_request', message: 'No', details } }),
    saying(400, 'invalid_request')
  ])
  for (const expected of [details, []]) {
    await assert.rejects(client.members.list({ limit: 1000 }).then(), { details: expected })
  }
})

test('a response that is not in the shape of the service is reported as such, and never returned', async () => {
  for (const [status, body, says] of [
    [502, '<h1>Bad gateway</h1>', /status 502 without an error body/],
    [418, '{"error":"a text"}', /status 418/],
    [404, '', /status 404/],
    [302, '', /status 302/],
    [200, '<h1>Hello</h1>', /status 200 has no data/],
    [200, 'null', /has no data/],
    [200, '{}', /has no data/],
    [200, '', /has no data/]
  ] as const) {
    const { client, requests } = await aClient([answering(status, body, { location: '/elsewhere' })], {
      maxRetries: 0
    })
    await assert.rejects(client.members.get('mem_1'), (err) => {
      assert.ok(err instanceof ApiError)
      assert.equal(err.status, status)
      assert.match(err.message, says)
      return true
    })
    assert.equal(requests.length, 1, 'a redirect is not followed')
  }
})

test('a response has its request id, its budget and whether it is a repetition', async () => {
  const body = { data: { id: 'mem_1' }, meta: { total: 1, limit: 1, offset: 0, has_more: false } }
  const { client } = await aClient([
    answering(200, body, { ...FACTS, 'idempotent-replayed': 'true' }),
    answering(200, body)
  ])
  const { headers, ...response } = await client.members.update('mem_1', { first_name: 'Ada' }).withResponse()
  assert.deepEqual(response, { ...body, status: 200, requestId: 'req-1', rateLimit, isReplayed: true })
  assert.equal(headers.get('content-type'), 'application/json')
  const other = await client.members.get('mem_1').withResponse()
  assert.deepEqual([other.rateLimit, other.isReplayed], [null, false])
})

test('a call is a promise', async () => {
  const { client } = await aClient([giving({ id: 'mem_1' }), saying(404, 'not_found')])
  const ends: string[] = []
  const member = await client.members.get('mem_1').finally(() => ends.push('finally'))
  const missing = await client.members.get('mem_2').catch((err: ApiError) => err.code)
  assert.deepEqual([member.id, missing, ends], ['mem_1', 'not_found', ['finally']])
})

test('ids stay one part of the path, and what would name another path is refused', async () => {
  const { client, requests } = await aClient([giving({})])
  await client.storeCredits.get('gid://platform/Customer/7?x=1#y')
  assert.equal(requests[0]!.url, '/v1/store-credits/gid%3A%2F%2Fplatform%2FCustomer%2F7%3Fx%3D1%23y')
  for (const id of ['', '.', '..', undefined as never, 7 as never]) {
    await assert.rejects(client.subscriptions.cancel(id).then(), TypeError)
  }
  assert.equal(requests.length, 1)
})

test('filters are sent as they are given; those that are undefined are not', async () => {
  const { client, requests } = await aClient([
    answering(200, { data: [], meta: { total: 0, limit: 50, offset: 0, has_more: false } })
  ])
  await client.members.list({ status: 'active', email: 'a+b@example.com', plan_id: undefined, limit: 2 })
  assert.equal(requests[0]!.url, '/v1/members?status=active&email=a%2Bb%40example.com&limit=2')
})

test('options that cannot work are refused when the client is made or called', async () => {
  for (const [wrong, says] of [
    [{ baseUrl: 'members.example.com' }, /baseUrl must be/],
    [{ apiKey: '' }, /apiKey must be/],
    [{ timeoutMs: -1 }, /timeoutMs must be/],
    [{ maxRetries: Number.NaN }, /maxRetries must be/]
  ] as const) {
    assert.throws(() => createClient({ baseUrl: 'https://x.example/v1', apiKey: 'k', ...wrong }), says)
  }
  const { client } = await aClient([giving({})])
  await assert.rejects(client.members.get('mem_1', { deadlineMs: -1 }), /deadlineMs must be/)
})

test('another fetch can be given', async () => {
  const urls: string[] = []
  const { client } = await aClient([giving({ id: 'mem_1' })], {
    fetch: (url, init) => {
      urls.push(String(url))
      return fetch(url, init)
    }
  })
  await client.members.get('mem_1')
  assert.match(urls[0]!, /\/v1\/members\/mem_1$/)
})
