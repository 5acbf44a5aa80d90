import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { OPERATOR_TOKEN, testServer } from '../server.test-helper.ts'
import { aMessage, aRawRequest, signedBy } from './raw-requests.test-helper.ts'

const { db } = await testDatabase()
/** Of it bodies of the platform may hold 120,000, those of one shop 60,000, those of one address 30,000. */
const MAX = 160_000
const { app } = testServer(db, { maxBodyBytesInFlight: MAX, trustedProxies: ['127.0.0.1'] })
const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
const [store, second, third] = [await aStore(db), await aStore(db), await aStore(db)]

type Headers = Record<string, string | number>
const aRequest = (path: string, headers: Headers) => aRawRequest(port, `POST ${path}`, headers)

/** A message of the platform from this address. */
const webhook = (body: string, { of = store, from = '203.0.113.1', headers }: Sent = {}) =>
  aRequest('/platform/webhooks', {
    ...signedBy(of, body),
    'x-forwarded-for': from,
    ...(headers ?? { 'content-length': body.length })
  })
type Sent = { of?: typeof store; from?: string; headers?: Headers }

/** Holds so many bytes: all of a message but its end is sent. Returns what ends it. */
async function holding(bytes: number, given: Sent = {}) {
  const before = app.bodyBytesInFlight()
  const body = aMessage(bytes + 1)
  const sent = webhook(body, given)
  sent.send(body.slice(0, -1))
  await until('it counts', () => app.bodyBytesInFlight() === before + bytes)
  return { ...sent, end: () => sent.send(body.slice(-1)) }
}

/** How a message of this size is answered that is sent whole. */
const statusOf = async (bytes: number, given: Sent = {}) => {
  const body = aMessage(bytes)
  const sent = webhook(body, given)
  sent.send(body)
  return (await sent.answer()).status
}

const nothingInFlight = () => until('nothing is in flight', () => app.bodyBytesInFlight() === 0)

test('bodies over the bound are refused unread, with 503 and Retry-After; when one is answered the next has room', async () => {
  const first = await holding(20_000)
  const refused = await webhook(aMessage(10_001)).answer()
  assert.equal(refused.status, 503)
  assert.match(refused.head, /\r\nretry-after: \d+/)
  assert.deepEqual(refused.body, {
    error: {
      code: 'internal_error',
      message:
        'The service is receiving too much at once, and nothing was changed; repeat the request after the seconds in Retry-After'
    }
  })
  assert.equal(await statusOf(10_000), 200, 'what is left may be used')
  first.end()
  assert.equal((await first.answer()).status, 200)
  assert.equal(await statusOf(30_000), 200)
  await nothingInFlight()
})

test('who sends nothing takes no room', async () => {
  const silent = Array.from({ length: 10 }, () => webhook(aMessage(30_000)))
  const [request] = await once(app.server, 'request')
  await until('it is read', () => request.readableFlowing)
  assert.equal(app.bodyBytesInFlight(), 0)
  assert.equal(await statusOf(30_000), 200)
  for (const { socket } of silent) socket.destroy()
})

test('one address leaves room for others, one shop for other shops, and the platform for the other surfaces', async () => {
  const held = [await holding(20_000)]
  assert.equal(await statusOf(10_001), 503, 'an address')
  assert.equal(await statusOf(10_001, { of: second }), 503, 'an address, for another shop')
  assert.equal(await statusOf(10_001, { from: '203.0.113.2' }), 200, 'another address')
  held.push(await holding(29_999, { from: '203.0.113.2' }))
  assert.equal(await statusOf(10_002, { from: '203.0.113.3' }), 503, 'a shop')
  assert.equal(await statusOf(10_001, { from: '203.0.113.3', of: second }), 200, 'another shop')
  held.push(await holding(29_999, { from: '203.0.113.3', of: second }))
  held.push(await holding(29_999, { from: '203.0.113.4', of: second }))
  assert.equal(await statusOf(10_004, { from: '203.0.113.5', of: third }), 503, 'the platform')
  assert.equal(await statusOf(10_003, { from: '203.0.113.5', of: third }), 200)
  const key = await store.aKey()
  const rest = aRequest('/v1/subscriptions/sub_1/pause', {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': 40_000
  })
  const body = aMessage(40_000)
  rest.send(body)
  assert.equal((await rest.answer()).status, 400, 'it is read')
  for (const { socket } of held) socket.destroy()
  await nothingInFlight()
})

test('addresses of one network of IPv6 share what an address may hold', async () => {
  const first = await holding(20_000, { from: '2001:db8::1' })
  assert.equal(await statusOf(10_001, { from: '2001:db8::2' }), 503)
  assert.equal(await statusOf(10_001, { from: '2001:db8:0:1::1' }), 200)
  first.socket.destroy()
  await nothingInFlight()
})

test('a connection that is refused takes its next request, whether it was refused unread or on the way', async () => {
  const body = aMessage(20_000)
  const onTheWay = webhook(body)
  onTheWay.send(body.slice(0, 5_000))
  await until('it counts', () => app.bodyBytesInFlight() === 5_000)
  const first = await holding(20_000)
  const unread = webhook(body)
  unread.send(body.slice(0, 5_000))
  onTheWay.send(body.slice(5_000, 15_000))
  for (const { answer, send, socket } of [unread, onTheWay]) {
    const refused = await answer()
    assert.equal(refused.status, 503)
    assert.doesNotMatch(refused.head, /connection: close/)
    assert.equal(app.bodyBytesInFlight(), 20_000)
    send(`${body.slice(answer === unread.answer ? 5_000 : 15_000)}GET /livez HTTP/1.1\r\nHost: a\r\n\r\n`)
    const [next] = await once(socket, 'data')
    assert.match(String(next), /^HTTP\/1\.1 200 /)
  }
  first.end()
  assert.equal((await first.answer()).status, 200)
  await nothingInFlight()
})

test('a body without a length counts as it arrives, and is given up at the bound', async () => {
  const headers = { 'transfer-encoding': 'chunked' }
  const body = aMessage(20_000)
  const one = webhook(body, { headers })
  one.chunk(body)
  await until('it counts', () => app.bodyBytesInFlight() === 20_000)
  const two = webhook(body, { headers })
  two.chunk(body)
  const ended = once(two.socket, 'close')
  const answer = await two.answer()
  assert.equal(answer.status, 503)
  // How much would follow is unknown, so the connection takes no other request.
  assert.match(answer.head, /connection: close/)
  await ended
  assert.equal(app.bodyBytesInFlight(), 20_000)
  one.send('0\r\n\r\n')
  assert.equal((await one.answer()).status, 200)
  await nothingInFlight()
})

test('each surface refuses in its own shape; a stranger takes no room', async () => {
  const key = await store.aKey()
  const rest = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 40_005 }
  const admin = { ...rest, authorization: `Bearer ${OPERATOR_TOKEN}` }
  const blockers = [
    await holding(29_999),
    await holding(29_999, { from: '203.0.113.2' }),
    await holding(29_999, { from: '203.0.113.3', of: second }),
    await holding(29_999, { from: '203.0.113.4', of: second })
  ]
  const ofRest = await aRequest('/v1/subscriptions/sub_1/pause', rest).answer()
  assert.deepEqual([ofRest.status, ofRest.body.error.code], [503, 'internal_error'])
  const ofAdmin = await aRequest('/admin/api/stores', admin).answer()
  assert.deepEqual([ofAdmin.status, ofAdmin.body.error.code], [503, 'unavailable'])
  const parameters: Record<string, string> = {
    shop: store.domain,
    path_prefix: '/apps/svc-api',
    timestamp: String(Math.floor(Date.now() / 1000)),
    logged_in_customer_id: '7'
  }
  const canonical = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  const signature = createHmac('sha256', store.credentials.proxySecret).update(canonical.sort().join('')).digest('hex')
  const query = new URLSearchParams({ ...parameters, signature })
  const { authorization: _, ...unauthorized } = rest
  const ofStorefront = await aRequest(
    `/apps/svc-api/v1/membership/churn/9/cancellation?${query}`,
    unauthorized
  ).answer()
  assert.deepEqual([ofStorefront.status, Object.keys(ofStorefront.body)], [503, ['message']])
  for (const { head } of [ofRest, ofAdmin, ofStorefront]) assert.match(head, /\r\nretry-after: \d+/)

  // Without a valid key nothing is refused for its size.
  assert.equal((await aRequest('/v1/subscriptions/sub_1/pause', unauthorized).answer()).status, 401)
  for (const { socket } of blockers) socket.destroy()
  await nothingInFlight()
})

test('an unknown shop and wrong headers are refused before a byte of the body is read', async () => {
  const body = aMessage(10_000)
  const good = { ...signedBy(store, body), 'content-length': body.length }
  const { 'x-platform-topic': _topic, ...withoutTopic } = good
  const { 'x-platform-webhook-id': _id, ...withoutId } = good
  const other = Object.fromEntries(
    Object.entries(good).map(([name, v]) => [name.replace('x-platform', 'x-shopify'), v])
  )
  for (const headers of [
    { ...good, 'x-platform-shop-domain': 'unknown.example' },
    { ...good, 'x-platform-hmac-sha256': 'AAAA' },
    { ...good, 'x-platform-hmac-sha256': 'x'.repeat(44) },
    withoutTopic,
    withoutId,
    other
  ]) {
    const { status, body: answer } = await aRequest('/platform/webhooks', headers as Record<string, string>).answer()
    assert.deepEqual([status, answer.error.code], [401, 'authentication_failed'])
  }
  const large = aRequest('/platform/webhooks', { ...good, 'content-length': 8 * 1024 * 1024 + 1 })
  assert.equal((await large.answer()).status, 400)
  const waits = aRequest('/platform/webhooks', good)
  waits.send(body.slice(0, -1))
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(waits.hasAnswer(), false, 'a right one is read to its end')
  waits.send(body.slice(-1))
  assert.equal((await waits.answer()).status, 200)
})
