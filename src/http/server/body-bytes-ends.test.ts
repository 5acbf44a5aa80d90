// Every way in which a request can end gives back what its body took.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { at, joined, START } from '../rest/subscription.test-helper.ts'
import { OPERATOR_TOKEN, testServer } from '../server.test-helper.ts'
import { aMessage, aRawRequest, signedBy } from './raw-requests.test-helper.ts'

const { db } = await testDatabase()
const { app } = testServer(db)
app.post('/test/hijacked', { config: { allow: 'anyone' } }, (_request, reply) => {
  reply.hijack()
  reply.raw.end('{}')
})
app.post('/test/throws', { config: { allow: 'anyone' } }, () => {
  throw new Error('A bug')
})
const work = { ends: Promise.withResolvers<void>(), begun: 0 }
const worksOn = async () => {
  work.begun++
  await work.ends.promise
  return {}
}
app.post('/test/works', { config: { allow: 'anyone' } }, worksOn)
app.get('/test/works', { config: { allow: 'anyone' } }, worksOn)
const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
const store = await aStore(db, { clockAt: at(START) })
const key = await store.aKey()
const json = { 'content-type': 'application/json' }
const rest = { ...json, authorization: `Bearer ${key}` }
const endless = { 'transfer-encoding': 'chunked' }
const aRequest = (target: string, headers: Record<string, string | number>) => aRawRequest(port, target, headers)

const nothingInFlight = () => until('nothing is in flight', () => app.bodyBytesInFlight() === 0)

beforeEach(async () => {
  await nothingInFlight()
  work.ends = Promise.withResolvers()
})

test('a body that its route does not read takes nothing, also when the reply is hijacked', async () => {
  for (const path of ['/metrics', '/livez', '/readyz', '/docs', '/openapi.json', '/nothing', '/v1/members?limit=1']) {
    for (const extra of [{ 'content-length': 10_000 }, endless]) {
      const sent = aRequest(`GET ${path}`, { ...rest, ...extra })
      const ended = once(sent.socket, 'data')
      if (extra === endless) sent.chunk(aMessage(10_000))
      await ended
      assert.equal(app.bodyBytesInFlight(), 0, path)
    }
  }
})

test('the body of a GET is not read while its route works', async () => {
  const begun = work.begun
  const sent = aRequest('GET /test/works', { ...json, 'content-length': 1_000 })
  sent.send(aMessage(1_000))
  await until('the route works', () => work.begun > begun)
  await setTimeout(50)
  assert.equal(app.bodyBytesInFlight(), 0)
  work.ends.resolve()
  assert.equal((await sent.answer()).status, 200)
})

test('a body for an unknown path is not read', async () => {
  for (const [target, headers, status] of [
    ['POST /livez', json, 404],
    ['POST /nothing', json, 404],
    ['POST /v1/nothing', rest, 404],
    ['POST /v1/nothing', json, 401],
    ['PUT /admin/api/nothing', { ...json, authorization: `Bearer ${OPERATOR_TOKEN}` }, 404]
  ] as const) {
    const whole = aRequest(target, { ...headers, 'content-length': 10_000 })
    assert.equal((await whole.answer()).status, status, target)
    const parts = aRequest(target, { ...headers, ...endless })
    parts.chunk(aMessage(10_000))
    assert.equal((await parts.answer()).status, status, target)
    assert.equal(app.bodyBytesInFlight(), 0, target)
    // What follows is dropped.
    parts.chunk('{')
  }
})

test('a body that is refused gives back what it took, and what still comes of it takes nothing', async () => {
  const unread = { ...rest, 'content-type': 'text/plain' }
  const signed = signedBy(store, '')
  for (const [what, target, headers, bytes] of [
    ['of a type that is not accepted', 'POST /v1/subscriptions/1/pause', unread, 1_000],
    ['with bytes that are no JSON', 'POST /v1/subscriptions/1/pause', rest, 1_000],
    ['that is too large', 'POST /v1/subscriptions/1/pause', rest, 70_000],
    ['of the platform that is too large', 'POST /platform/webhooks', signed, 9 * 1024 * 1024]
  ] as const) {
    const sent = aRequest(target, { ...headers, ...endless })
    sent.chunk('x'.repeat(bytes))
    if (bytes === 1_000 && headers === rest) sent.send('0\r\n\r\n')
    assert.equal((await sent.answer()).status, 400, what)
    sent.chunk('x'.repeat(100_000))
    await nothingInFlight()
  }
  const wrong = aRequest('POST /platform/webhooks', { ...signed, 'content-length': 1_000 })
  wrong.send(aMessage(1_000))
  assert.equal((await wrong.answer()).status, 401)
  await nothingInFlight()
  const typed = aRequest('POST /v1/subscriptions/1/pause', { ...unread, 'content-length': 1_000 })
  assert.equal((await typed.answer()).status, 400)
  // The connection takes its next request.
  const next = once(typed.socket, 'data')
  typed.send(`${'x'.repeat(1_000)}GET /livez HTTP/1.1\r\nHost: a\r\n\r\n`)
  assert.match(String(await next), /200 OK/)
  assert.equal(app.bodyBytesInFlight(), 0)
})

test('a body that breaks off gives back what it took', async () => {
  const targets = [
    ['POST /v1/subscriptions/1/pause', rest],
    ['POST /platform/webhooks', signedBy(store, '')],
    ['POST /v1/subscriptions/1/pause', { ...rest, 'content-type': 'text/plain' }]
  ] as const
  for (const [target, headers] of targets) {
    for (const extra of [{ 'content-length': 20_000 }, endless]) {
      const sent = aRequest(target, { ...headers, ...extra })
      if (extra === endless) sent.chunk('x'.repeat(10_000))
      else sent.send('x'.repeat(10_000))
      if (headers['content-type'] === 'text/plain') await sent.answer()
      else await until('it counts', () => app.bodyBytesInFlight() === 10_000)
      sent.socket.resetAndDestroy()
      await nothingInFlight()
    }
  }
  await until('no request is kept', () => app.openRequests() === 0)
})

test('a client that leaves before its body is read takes nothing, and its request ends', async () => {
  for (const target of ['POST /v1/subscriptions/1/pause', 'POST /platform/webhooks']) {
    for (const extra of [{ 'content-length': 2 }, { 'content-length': 20_000 }, endless]) {
      const other = await aStore(db)
      const headers = { ...rest, authorization: `Bearer ${await other.aKey()}`, ...signedBy(other, '{}'), ...extra }
      const locked = Promise.withResolvers<void>()
      const left = Promise.withResolvers<void>()
      const lock = db.inInstallation(async (tx) => {
        await tx.run(sql`lock table stores, api_keys in access exclusive mode`)
        locked.resolve()
        await left.promise
      })
      await locked.promise
      const arrived = once(app.server, 'request')
      const sent = aRequest(target, headers)
      if (extra === endless) sent.chunk('{}')
      else sent.send('{}')
      const [request] = await arrived
      sent.socket.resetAndDestroy()
      await until('the server knows', () => request.socket.destroyed)
      left.resolve()
      await lock
      await nothingInFlight()
      await until('no request is kept', () => app.openRequests() === 0)
    }
  }
})

test('a body counts until its route has ended, although its client has left', async () => {
  const body = aMessage(1_000)
  const begun = work.begun
  const sent = aRequest('POST /test/works', { ...json, 'content-length': body.length })
  sent.send(body)
  await until('the route works', () => work.begun > begun)
  sent.socket.resetAndDestroy()
  await until('no request is kept', () => app.openRequests() === 0)
  assert.equal(app.bodyBytesInFlight(), 1_000)
  // Others that end give back only what they took.
  const other = aRequest('POST /test/throws', { ...json, 'content-length': body.length })
  other.send(body)
  assert.equal((await other.answer()).status, 500)
  assert.equal(app.bodyBytesInFlight(), 1_000)
  work.ends.resolve()
  await nothingInFlight()
})

test('a body counts until its route has ended, although it was answered by the deadline', async () => {
  const { app: hasty } = testServer(db, { answeredWithinMs: 300 })
  const { port: itsPort } = new URL(await hasty.listen({ port: 0, host: '127.0.0.1' }))
  const { memberId } = await joined(store)
  const locked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const lock = store.inStore(async ({ tx, storeId }) => {
    await tx.run(sql`select 1 from members where store_id = ${storeId} and id = ${memberId} for update`)
    locked.resolve()
    await answered.promise
  })
  await locked.promise
  const body = '{"loyalty_points": 120}'
  const sent = aRawRequest(itsPort, `PATCH /v1/members/mem_${memberId}`, { ...rest, 'content-length': body.length })
  sent.send(body)
  const { status } = await sent.answer()
  const inFlight = hasty.bodyBytesInFlight()
  answered.resolve()
  await lock
  assert.deepEqual([status, inFlight], [503, body.length])
  await until('nothing is in flight', () => hasty.bodyBytesInFlight() === 0)
})

test('a route that hijacks its reply or throws gives back the body', async () => {
  for (const [path, status] of [
    ['/test/hijacked', 200],
    ['/test/throws', 500]
  ] as const) {
    const sent = aRequest(`POST ${path}`, { ...json, 'content-length': 1_000 })
    sent.send(aMessage(1_000))
    const [data] = await once(sent.socket, 'data')
    assert.match(String(data), new RegExp(`^HTTP/1.1 ${status} `))
    await nothingInFlight()
  }
})

test('requests that wait for their turn on one connection give back their bodies when it is lost', async () => {
  const body = aMessage(1_000)
  const begun = work.begun
  const head = `POST /test/works HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`
  const sent = aRequest('POST /test/works', { ...json, 'content-length': 1_000 })
  sent.send(`${body}${head}${body}${head}{`)
  await until('both routes work', () => work.begun === begun + 2)
  sent.socket.resetAndDestroy()
  work.ends.resolve()
  await nothingInFlight()
  await until('no request is kept', () => app.openRequests() === 0)
})

after(() => assert.equal(app.bodyBytesInFlight(), 0))
