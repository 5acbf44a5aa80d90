import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { OPERATOR_TOKEN, testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const MAX = 40_000
/** Bodies of the platform may hold three quarters. */
const SHARE = 30_000
const { app } = testServer(db, { maxBodyBytesInFlight: MAX })
const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
const store = await aStore(db)

/** The headers of a platform's message, whose signature is right for `body`. */
const signedBy = (of: BuiltStore, body: string) => ({
  'content-type': 'application/json',
  'x-platform-topic': 'orders/paid',
  'x-platform-shop-domain': of.domain,
  'x-platform-webhook-id': crypto.randomUUID(),
  'x-platform-hmac-sha256': createHmac('sha256', of.credentials.appSecret).update(body).digest('base64')
})

/** A connection on which a request is sent in parts. */
function aRequest(path: string, headers: Record<string, string | number>) {
  const socket: Socket = connect(Number(port), '127.0.0.1')
  let came = ''
  socket.on('data', (chunk) => {
    came += chunk
  })
  socket.on('error', () => {})
  after(() => socket.destroy())
  const lines = Object.entries({ host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return {
    socket,
    send: (text: string) => socket.write(text),
    chunk: (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`),
    /** The status, the headers and the body of the answer. */
    async answer() {
      const text = await until('an answer', () => (/\r\n\r\n.*\}/s.test(came) ? came : null))
      const [head = '', body = ''] = text.split('\r\n\r\n')
      return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: JSON.parse(body) }
    },
    hasAnswer: () => came !== ''
  }
}

const message = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

const webhook = (body: string, extra: Record<string, string | number> = { 'content-length': body.length }) =>
  aRequest('/platform/webhooks', { ...signedBy(store, body), ...extra })

/** Whether a message of this size has room; it is sent whole. */
const isTaken = async (bytes: number) => {
  const body = message(bytes)
  const sent = webhook(body)
  sent.send(body)
  return (await sent.answer()).status === 200
}

test('bodies over the bound are refused unread, with 503 and Retry-After; when one is answered the next has room', async () => {
  const body = message(20_000)
  const first = webhook(body)
  first.send(body.slice(0, 10))
  await until('the first is under way', async () => !(await isTaken(SHARE - 20_000 + 1)))
  const second = webhook(body)
  const refused = await second.answer()
  assert.equal(refused.status, 503)
  assert.match(refused.head, /\r\nretry-after: \d+/)
  assert.deepEqual(refused.body, {
    error: {
      code: 'internal_error',
      message:
        'The service is receiving too much at once, and nothing was changed; repeat the request after the seconds in Retry-After'
    }
  })
  assert.ok(await isTaken(SHARE - 20_000), 'what is left may be used')
  first.send(body.slice(10))
  assert.equal((await first.answer()).status, 200)
  assert.ok(await isTaken(SHARE))
})

test('a connection that is refused takes its next request', async () => {
  const blocker = webhook(message(20_000))
  await until('it is under way', async () => !(await isTaken(SHARE - 20_000 + 1)))
  const body = message(20_000)
  const refused = webhook(body)
  await refused.answer()
  refused.send(`${body}GET /livez HTTP/1.1\r\nHost: a\r\n\r\n`)
  let came = ''
  refused.socket.on('data', (chunk) => {
    came += chunk
  })
  await until('the next answer', () => came.includes('"ok"'))
  blocker.socket.destroy()
  await until('there is room again', () => isTaken(SHARE))
})

test('a body without a length counts as it arrives, and is given up at the bound', async () => {
  const endless = { 'transfer-encoding': 'chunked' }
  const body = message(20_000)
  const one = webhook(body, endless)
  one.chunk(body)
  await until('it counts', async () => !(await isTaken(SHARE - 20_000 + 1)))
  assert.ok(await isTaken(SHARE - 20_000))
  const two = webhook(body, endless)
  two.chunk(body)
  const ended = once(two.socket, 'close')
  const answer = await two.answer()
  assert.equal(answer.status, 503)
  // How much would follow is unknown, so the connection takes no other request.
  assert.match(answer.head, /connection: close/)
  await ended
  one.send('0\r\n\r\n')
  assert.equal((await one.answer()).status, 200)
  assert.ok(await isTaken(SHARE))
})

test('a body that breaks off gives its room back', async () => {
  const kinds: Record<string, string | number>[] = [{ 'content-length': 20_000 }, { 'transfer-encoding': 'chunked' }]
  for (const extra of kinds) {
    const broken = webhook(message(20_000), extra)
    if ('content-length' in extra) broken.send(message(20_000).slice(0, 5_000))
    else broken.chunk(message(15_000))
    await until('it counts', async () => !(await isTaken(SHARE)))
    broken.socket.destroy()
    await until('there is room again', () => isTaken(SHARE))
  }
})

test('each surface refuses in its own shape; the platform leaves room for them; a stranger takes none', async () => {
  const key = await store.aKey()
  const rest = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 10_001 }
  const admin = { ...rest, authorization: `Bearer ${OPERATOR_TOKEN}` }
  const blocker = webhook(message(SHARE))
  await until('it is under way', async () => !(await isTaken(100)))

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

  // The last quarter is theirs.
  const small = aRequest('/v1/subscriptions/sub_1/pause', { ...rest, 'content-length': 2 })
  small.send('{}')
  assert.equal((await small.answer()).status, 404)
  // Without a valid key nothing is counted, and nothing is refused for its size.
  assert.equal((await aRequest('/v1/subscriptions/sub_1/pause', unauthorized).answer()).status, 401)
  blocker.socket.destroy()
})

test('an unknown shop and wrong headers are refused before a byte of the body is read', async () => {
  const body = message(10_000)
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
