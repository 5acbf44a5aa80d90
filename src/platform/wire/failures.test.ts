import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connectorTo } from '../../../test/connectors.ts'
import {
  anAttempt,
  aPlatform,
  created,
  data,
  json,
  type Responder,
  shop,
  theFailure,
  theValue
} from '../../../test/fake-platform.ts'
import type { AttemptRequest } from '../billing/billing-api.ts'
import { CostBudget } from './cost-budget.ts'
import type { PlatformFailure } from './outcome.ts'
import { MAX_RESPONSE_BYTES } from './transport.ts'

const request: AttemptRequest = {
  contractId: '9',
  idempotencyKey: 'key-1',
  originTime: Temporal.Instant.from('2026-02-28T10:00:00Z')
}

const error = (message: string, code?: string) => ({ message, ...(code ? { extensions: { code } } : {}) })
const rejectedBy = (userErrors: unknown[]) => ({
  data: { subscriptionBillingAttemptCreate: { subscriptionBillingAttempt: null, userErrors } }
})

function drip(res: ServerResponse) {
  res.writeHead(200)
  const timer = setInterval(() => res.write(' '), 5)
  res.on('close', () => clearInterval(timer))
}

const TIMEOUT_MS = 150
/** The outcome of a charge whose response is lost. A read that fails the same way leaves nothing unknown. */
const lost: Partial<PlatformFailure> = { kind: 'unavailable', outcomeUnknown: true }
const cases: [what: string, respond: Responder, expected: Partial<PlatformFailure>][] = [
  ['500', (res) => res.writeHead(500).end('oops'), { ...lost, code: '500' }],
  ['502', (res) => res.writeHead(502).end(), { ...lost, code: '502' }],
  ['503 with JSON', (res) => json(res, { errors: 'down' }, 503), { ...lost, code: '503' }],
  [
    '429',
    (res) => json(res, { errors: 'Exceeded 2 calls per second' }, 429, { 'retry-after': '2.0' }),
    { kind: 'unavailable', code: '429', retryAfterMs: 2000 }
  ],
  [
    'a redirect, which is not followed',
    (res) => res.writeHead(302, { location: '/' }).end(),
    { kind: 'unavailable', code: '302' }
  ],
  ['404', (res) => res.writeHead(404).end(), { kind: 'unavailable', code: '404' }],
  [
    '401',
    (res) => json(res, { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' }, 401),
    { kind: 'unauthorized', code: '401' }
  ],
  ['a reset before the response', (res) => res.destroy(), lost],
  ['a reset within the response', (res) => res.writeHead(200).write('{', () => res.destroy()), lost],
  ['no response', () => {}, lost],
  ['a response that drips', drip, lost],
  ['a response that is too large', (res) => res.writeHead(200).end(Buffer.alloc(MAX_RESPONSE_BYTES + 1, ' ')), lost],
  ['no JSON', (res) => res.writeHead(200).end('<html>'), lost],
  ['an empty body', (res) => res.writeHead(200).end(), lost],
  ['JSON that is not an object', (res) => json(res, []), lost],
  ['an object without data', (res) => json(res, {}), { ...lost, code: 'not_understood' }],
  ['data null', (res) => json(res, { data: null }), { ...lost, code: 'not_understood' }],
  ['data of another shape', (res) => data(res, { shop: { name: 1 }, nodes: [7] }), { ...lost, code: 'not_understood' }],
  ['errors as text', (res) => json(res, { errors: 'no' }), lost],
  ['an error without a code', (res) => json(res, { data: null, errors: [error('Oh')] }), lost],
  [
    'an internal error',
    (res) => json(res, { errors: [error('Internal error', 'INTERNAL_SERVER_ERROR')] }),
    { ...lost, code: 'internal_server_error' }
  ],
  [
    'a missing scope',
    (res) => json(res, { errors: [error('Access denied', 'ACCESS_DENIED')] }),
    { kind: 'unauthorized', code: 'access_denied' }
  ],
  [
    'a bad variable',
    (res) => json(res, { errors: [error('Variable $id is invalid', 'INVALID_VARIABLE')] }),
    { kind: 'unavailable', code: 'invalid_variable' }
  ],
  [
    'an unknown field',
    (res) => json(res, { errors: [error("Field 'x' doesn't exist", 'undefinedField')] }),
    { kind: 'unavailable', code: 'graphql_validation_failed' }
  ]
]

for (const [what, respond, expected] of cases) {
  test(`the platform gives ${what}`, async () => {
    const { connect, requests } = await aPlatform(respond)
    // Only the endless responses may end by the time limit.
    const isEndless = what === 'no response' || what === 'a response that drips'
    const connector = connect({ timeoutMs: isEndless ? TIMEOUT_MS : 30_000 })
    const charge = theFailure(await connector.billing.createAttempt(request))
    const read = theFailure(await connector.shop.read())
    const { outcomeUnknown: _, ...expectedOfRead } = expected
    assert.deepEqual({ ...charge, message: '' }, { message: '', ...expected })
    assert.deepEqual({ ...read, message: '' }, { message: '', ...expectedOfRead })
    assert.doesNotMatch(charge.message, /token-1/)
    assert.equal(requests.length, 2)
  })
}

test('where nothing listens, nothing was executed', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const access = { storeId: 1, profile: 'platform', url: `http://127.0.0.1:${port}`, accessToken: 't' } as const
  const failure = theFailure(await connectorTo(access).billing.createAttempt(request))
  assert.equal(failure.kind, 'unavailable')
  assert.equal(failure.outcomeUnknown, undefined)
})

test('a userError is a definite refusal, with its code and field', async () => {
  const { connector } = await aPlatform((res) =>
    json(res, rejectedBy([{ field: ['input', 'originTime'], message: 'Contract is paused', code: 'CONTRACT_PAUSED' }]))
  )
  assert.deepEqual(theFailure(await connector.billing.createAttempt(request)), {
    kind: 'rejected',
    message: 'Contract is paused',
    code: 'contract_paused',
    field: 'input.originTime'
  })
})

test('a userError without field and code, as tags have, is a refusal too', async () => {
  const { connector } = await aPlatform((res) => json(res, rejectedBy([{ field: null, message: 'No' }])))
  assert.deepEqual(theFailure(await connector.billing.createAttempt(request)), { kind: 'rejected', message: 'No' })
})

test('a userError with the code THROTTLED is not a decline', async () => {
  const { connector } = await aPlatform((res) => json(res, rejectedBy([{ message: 'Slow down', code: 'THROTTLED' }])))
  assert.equal(theFailure(await connector.billing.createAttempt(request)).kind, 'throttled')
})

const cost = (currentlyAvailable: number, restoreRate: number, requestedQueryCost = 10) => ({
  cost: {
    requestedQueryCost,
    actualQueryCost: null,
    throttleStatus: { maximumAvailable: 2000, currentlyAvailable, restoreRate }
  }
})
const throttledWith = (extensions: unknown) => ({ errors: [error('Throttled', 'THROTTLED')], extensions })

test('a throttled call waits for its points and is sent again', async () => {
  const { connector, requests } = await aPlatform((res, _sent, n) =>
    n <= 2
      ? json(res, throttledWith(cost(5, 1000)))
      : json(res, { data: created(anAttempt('3')), extensions: cost(1990, 1000) })
  )
  assert.equal(theValue(await connector.billing.createAttempt(request)).id, '3')
  assert.equal(requests.length, 3)
  assert.deepEqual(requests[0]!.variables, requests[2]!.variables)
})

test('a call that stays throttled is sent less and less often, and ends as throttled when its patience does', async () => {
  const { connect, requests } = await aPlatform((res) => json(res, throttledWith(cost(0, 10_000))))
  const connector = connect({ throttleWaitMs: 1_000 })
  const { retryAfterMs: _, ...failure } = theFailure(await connector.billing.createAttempt(request))
  assert.deepEqual(failure, {
    kind: 'throttled',
    message: 'The cost budget of the platform is used up',
    code: 'throttled'
  })
  assert.ok(requests.length > 1 && requests.length <= 4, `${requests.length} requests`)
})

test('a call that would wait too long fails at once, and the next one is not even sent', async () => {
  const { connect, requests } = await aPlatform((res) => json(res, throttledWith(cost(0, 1, 1000))))
  const connector = connect({ throttleWaitMs: 2_000 })
  const failure = theFailure(await connector.shop.read())
  assert.equal(failure.kind, 'throttled')
  assert.ok(failure.retryAfterMs! > 2_000)
  assert.equal(theFailure(await connector.shop.read()).kind, 'throttled')
  assert.equal(requests.length, 1)
})

test('a throttled store does not delay another', async () => {
  const { connect } = await aPlatform((res) => json(res, throttledWith(cost(0, 1, 1000))))
  const other = await aPlatform((res) => data(res, shop))
  assert.equal(theFailure(await connect({ throttleWaitMs: 1 }).shop.read()).kind, 'throttled')
  assert.equal(theValue(await other.connector.shop.read()).name, 'Acme')
})

const bucket = (currentlyAvailable: number, restoreRate = 0.001, maximumAvailable = 2000) => ({
  maximumAvailable,
  currentlyAvailable,
  restoreRate
})

test('calls queue for points of the budget, each behind the earlier ones', async () => {
  const budget = new CostBudget()
  assert.equal(await budget.take(10, 0), true, 'nothing is known of the bucket yet')
  budget.settle(10, bucket(0, 1))
  const first = budget.waitFor(1000)
  const earlier = budget.take(1000, 1e9)
  const second = budget.waitFor(1000)
  assert.ok(first > 900_000 && first <= 1_000_000)
  assert.ok(second > 1_900_000 && second <= 2_000_000)
  assert.equal(await budget.take(10, 1_000), false)
  budget.settle(0, bucket(1500, 1))
  assert.equal(await earlier, true)
  assert.equal(await budget.take(500, 0), true, 'what is left beside the thousand of the other')
  assert.equal(await budget.take(500, 0), false)
})

test('a call that waits in vain leaves its place to the next one', async () => {
  const budget = new CostBudget()
  budget.settle(0, bucket(100, 100))
  assert.equal(await budget.take(100, 0), true)
  const impatient = budget.take(60, 1_000)
  budget.settle(0, bucket(110))
  const next = budget.take(10, 1e9)
  assert.deepEqual([await impatient, await next], [false, true])
})

test('a repeated call goes before those that wait', async () => {
  const budget = new CostBudget()
  budget.settle(0, bucket(0))
  const waiting = budget.take(10, 1e9)
  const repeated = budget.take(10, 1e9, true)
  budget.settle(0, bucket(10))
  const first = await Promise.race([waiting.then(() => 'waiting'), repeated.then(() => 'repeated')])
  assert.equal(first, 'repeated')
  budget.settle(10, bucket(10))
  assert.equal(await waiting, true)
})

test('a call that costs more than the whole bucket is sent when the bucket is full', async () => {
  for (const nodes of [1, 4]) {
    const budget = new CostBudget(() => nodes)
    budget.settle(0, bucket(1000, 50, 1000))
    assert.equal(await budget.take(5000, 0), true)
  }
})

test('a node spends only its share before the next response, and nearly all when the others spend nothing', async () => {
  const budget = new CostBudget(() => 2)
  let left = 200
  budget.settle(0, bucket(left))
  const rounds: number[] = []
  for (;;) {
    let sent = 0
    while (await budget.take(10, 0)) sent++
    if (sent === 0) break
    rounds.push(sent)
    for (let i = 0; i < sent; i++) budget.settle(10, bucket((left -= 10)))
  }
  assert.ok(rounds[0]! <= 10, `${rounds[0]} calls with 200 points for two nodes`)
  assert.equal(left, 10, 'the other can make a call too')
})

test('one of several nodes asks with one call how full the bucket is', async () => {
  const budget = new CostBudget(() => 2)
  assert.equal(await budget.take(10, 0), true)
  assert.equal(await budget.take(10, 0), false)
  const others = [budget.take(10, 10_000), budget.take(10, 10_000)]
  budget.settle(10, bucket(100))
  assert.deepEqual(await Promise.all(others), [true, true])
})

test('a budget is idle when its bucket is full and it has not been used since the question before', async () => {
  const budget = new CostBudget()
  await budget.take(10, 0)
  assert.deepEqual([budget.isIdle(), budget.isIdle()], [false, false], 'its call is under way')
  budget.settle(10, bucket(1999))
  assert.deepEqual([budget.isIdle(), budget.isIdle()], [false, false], 'its bucket is not full')
  await budget.take(10, 0)
  budget.settle(10, bucket(2000))
  assert.deepEqual([budget.isIdle(), budget.isIdle()], [false, true])
})
