import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, test } from 'node:test'
import { connectorTo } from '../../../test/connectors.ts'
import { anAttempt, aPlatform, created, data, json, shop, theFailure, theValue } from '../../../test/fake-platform.ts'
import { until } from '../../../test/until.ts'
import type { AttemptRequest } from '../billing/billing-api.ts'
import { MAX_RESPONSE_BYTES } from './transport.ts'

const request: AttemptRequest = {
  contractId: '9',
  idempotencyKey: 'key-1',
  originTime: Temporal.Instant.from('2026-02-28T10:00:00Z')
}

test('a query that hangs is sent once more, and the first answer counts; a mutation is sent once', async () => {
  const { connect, requests } = await aPlatform((res, _sent, n) => (n === 1 ? undefined : data(res, shop)))
  const connector = connect({ secondQueryMs: 50 })
  assert.equal(theValue(await connector.shop.read()).name, 'Acme')
  assert.equal(requests.length, 2)

  const silent = await aPlatform(() => {})
  const failure = theFailure(await silent.connect({ secondQueryMs: 20, timeoutMs: 200 }).billing.createAttempt(request))
  assert.deepEqual([failure.kind, failure.outcomeUnknown, silent.requests.length], ['unavailable', true, 1])
})

test('a query whose repetition fails still waits for its first answer', async () => {
  const { connect } = await aPlatform((res, _sent, n) => {
    if (n === 1) setTimeout(() => data(res, shop), 300)
    else res.destroy()
  })
  assert.equal(theValue(await connect({ secondQueryMs: 50 }).shop.read()).name, 'Acme')
})

test('both sendings of a query are within one time limit', async () => {
  const { connect, requests } = await aPlatform(() => {})
  const began = performance.now()
  const failure = theFailure(await connect({ secondQueryMs: 50, timeoutMs: 300 }).shop.read())
  assert.equal(failure.kind, 'unavailable')
  assert.equal(requests.length, 2)
  assert.ok(performance.now() - began < 5_000)
})

/** A server that notes how many of its connections are open. */
async function aServer(respond: (res: ServerResponse) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((req, res) => {
    req.resume()
    respond(res)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => sockets.size }
}

for (const [what, respond] of [
  ['no answer', () => {}],
  [
    'headers and then nothing',
    (res) => {
      res.writeHead(200).write('{')
    }
  ],
  [
    'an answer that drips',
    (res) => {
      res.writeHead(200)
      const timer = setInterval(() => res.write(' '), 5)
      res.on('close', () => clearInterval(timer))
    }
  ],
  [
    'a fast answer without an end',
    (res) => {
      res.writeHead(200)
      const more = () => {
        while (!res.destroyed && res.write(Buffer.alloc(MAX_RESPONSE_BYTES / 16, ' ')));
      }
      res.on('drain', more)
      more()
    }
  ]
] as [string, (res: ServerResponse) => void][]) {
  test(`${what}: the call ends in time, its outcome is unknown, and its connection is closed`, async () => {
    const { url, open } = await aServer(respond)
    const connector = connectorTo(
      { storeId: 1, profile: 'platform', url, accessToken: 't' },
      { timeoutMs: what.includes('fast') ? 10_000 : 200 }
    )
    const failure = theFailure(await connector.billing.createAttempt(request))
    assert.deepEqual([failure.kind, failure.outcomeUnknown], ['unavailable', true])
    // By its size, not by its time.
    if (what.includes('fast')) assert.doesNotMatch(failure.message, /did not answer within/)
    await until('the connection is closed', () => open() === 0)
  })
}

test('many calls that hang hold up no other call of the same store, nor of another store on the same host', async () => {
  const { url, requests } = await aPlatform((res, { operation }) => {
    if (operation === 'ShopInfo') data(res, shop)
  })
  const of = (storeId: number) => ({ storeId, profile: 'platform' as const, url, accessToken: `t-${storeId}` })
  const hanging = connectorTo(of(1), { timeoutMs: 6_000, throttleWaitMs: 5_000 })
  const charges = Array.from({ length: 40 }, () => hanging.billing.createAttempt(request))
  await until('as many as may are under way', () => requests.length >= 16)
  // Another store at once, the same one when the calls count as slow.
  assert.equal(theValue(await connectorTo(of(2)).shop.read()).name, 'Acme')
  assert.equal(theValue(await hanging.shop.read()).name, 'Acme')
  for (const charge of await Promise.all(charges)) assert.equal(theFailure(charge).outcomeUnknown, true)
})

test('a platform that throttles gets fewer calls at once', async () => {
  let open = 0
  let most = 0
  const cost = {
    requestedQueryCost: 10,
    throttleStatus: { maximumAvailable: 2000, currentlyAvailable: 2000, restoreRate: 1000 }
  }
  const { connect } = await aPlatform((res, _sent, n) => {
    most = Math.max(most, ++open)
    setTimeout(() => {
      open--
      // The first sixteen, and those that came with the limit after that, are throttled.
      if (n <= 24)
        json(res, { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }], extensions: { cost } })
      else json(res, { data: created(anAttempt(String(n))), extensions: { cost } })
    }, 20)
    if (n === 25) most = open
  })
  const connector = connect({ throttleWaitMs: 20_000 })
  const results = await Promise.all(Array.from({ length: 32 }, () => connector.billing.createAttempt(request)))
  assert.ok(results.every(({ ok }) => ok))
  assert.ok(most <= 8, `${most} at once after the platform had throttled`)
})

test('a call that is throttled again and again, slowly, still ends within one try and its patience', async () => {
  const { connect, requests } = await aPlatform((res) => {
    setTimeout(() => json(res, { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] }), 1_600)
  })
  const connector = connect({ timeoutMs: 2_000, throttleWaitMs: 1_000 })
  assert.equal((await connector.billing.createAttempt(request)).ok, false)
  assert.equal(requests.length, 2)
})
