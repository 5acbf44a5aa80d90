import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Measure } from '#kit/metrics'
import { aPlatform, data, json, shop, theFailure, theValue } from '../../test/fake-platform.ts'
import { createConnectors } from './connectors.ts'

const COST = 10
const throttled = { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] }

/** A platform with a bucket of points per shop, which throttles what the bucket does not hold. */
async function aPlatformWithBucket({ available, restorePerSecond }: { available: number; restorePerSecond: number }) {
  const maximum = 1000
  let at = performance.now()
  let throttledCalls = 0
  const platform = await aPlatform((res) => {
    const now = performance.now()
    available = Math.min(maximum, available + ((now - at) / 1000) * restorePerSecond)
    at = now
    const isPaid = available >= COST
    if (isPaid) available -= COST
    else throttledCalls++
    const throttleStatus = {
      maximumAvailable: maximum,
      currentlyAvailable: Math.floor(available),
      restoreRate: restorePerSecond
    }
    const extensions = { cost: { requestedQueryCost: COST, actualQueryCost: isPaid ? COST : null, throttleStatus } }
    json(res, isPaid ? { data: shop, extensions } : { ...throttled, extensions })
  })
  return { ...platform, throttledCalls: () => throttledCalls }
}

const access = (url: string, over = {}) => ({
  storeId: 1,
  profile: 'platform' as const,
  url,
  accessToken: 'token-1',
  ...over
})

test('two callers of one store together stay within its budget', async () => {
  const { url, requests, throttledCalls } = await aPlatformWithBucket({ available: 200, restorePerSecond: 400 })
  const connectors = createConnectors()
  // The first response states the bucket.
  theValue(await connectors.to(access(url)).shop.read())
  // Two connectors that exist at the same time: the second caller has read the store's new access token already.
  const callers = [connectors.to(access(url)), connectors.to(access(url, { accessToken: 'token-2' }))]
  assert.notEqual(callers[0], callers[1])
  const calls = callers.flatMap((connector) => Array.from({ length: 20 }, () => connector.shop.read()))
  for (const result of await Promise.all(calls)) theValue(result)
  assert.equal(requests.length, 41)
  assert.equal(throttledCalls(), 0)
})

test('an empty budget stays empty with a new access token, a new address, and after a disconnection', async () => {
  const { url, requests } = await aPlatformWithBucket({ available: 0, restorePerSecond: 1 })
  const elsewhere = await aPlatform((res) => data(res, shop))
  const connectors = createConnectors({ throttleWaitMs: 1 })
  assert.equal(theFailure(await connectors.to(access(url)).shop.read()).kind, 'throttled')
  assert.equal(requests.length, 1)
  const renewed = connectors.to(access(url, { accessToken: 'token-2' }))
  assert.equal(theFailure(await renewed.shop.read()).kind, 'throttled')
  connectors.forget(1)
  assert.equal(theFailure(await connectors.to(access(elsewhere.url)).shop.read()).kind, 'throttled')
  assert.deepEqual([requests.length, elsewhere.requests.length], [1, 0])
})

test('a store that nobody uses is dropped, but its budget not before the bucket is full again', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { url, requests } = await aPlatformWithBucket({ available: 0, restorePerSecond: 1 })
  const full = await aPlatformWithBucket({ available: 1000, restorePerSecond: 1e6 })
  const connectors = createConnectors({ throttleWaitMs: 1 })
  const quiet = connectors.to(access(full.url, { storeId: 2 }))
  theValue(await quiet.shop.read())
  assert.equal(theFailure(await connectors.to(access(url)).shop.read()).kind, 'throttled')
  connectors.forget(1)
  t.mock.timers.tick(600_000)
  assert.equal(connectors.to(access(full.url, { storeId: 2 })), quiet)
  t.mock.timers.tick(600_000)
  assert.notEqual(connectors.to(access(full.url, { storeId: 2 })), quiet)
  assert.equal(theFailure(await connectors.to(access(url)).shop.read()).kind, 'throttled')
  assert.equal(requests.length, 1)
})

test('another store has a budget of its own', async () => {
  const { url } = await aPlatformWithBucket({ available: 0, restorePerSecond: 1 })
  const elsewhere = await aPlatform((res) => data(res, shop))
  const connectors = createConnectors({ throttleWaitMs: 1 })
  assert.equal(theFailure(await connectors.to(access(url)).shop.read()).kind, 'throttled')
  assert.equal(theValue(await connectors.to(access(elsewhere.url, { storeId: 2 })).shop.read()).name, 'Acme')
})

test('a store keeps its connector until its address or token changes', async () => {
  const { url, requests } = await aPlatform((res) => data(res, shop))
  const connectors = createConnectors()
  const first = connectors.to(access(url))
  assert.equal(connectors.to(access(url)), first)
  const renewed = connectors.to(access(url, { accessToken: 'token-2' }))
  assert.notEqual(renewed, first)
  theValue(await renewed.shop.read())
  assert.equal(requests[0]!.headers['x-platform-access-token'], 'token-2')
  connectors.forget(1)
  assert.notEqual(connectors.to(access(url, { accessToken: 'token-2' })), renewed)
})

test('each call is counted by resource and name, once per result', async () => {
  const { url } = await aPlatform((res, { operation }, n) =>
    operation === 'ShopInfo' ? data(res, shop) : n === 2 ? res.writeHead(500).end() : res.writeHead(401).end()
  )
  const calls: string[] = []
  const measure: Measure = ({ name }, value, labels) =>
    void calls.push([name, value, ...Object.values(labels)].join(' '))
  const connector = createConnectors({ measure }).to(access(url))
  await connector.shop.read()
  const request = { contractId: '9', originTime: Temporal.Instant.from('2026-02-28T10:00:00Z') }
  await connector.billing.createAttempts([
    { ...request, idempotencyKey: 'a' },
    { ...request, idempotencyKey: 'b' }
  ])
  assert.deepEqual(calls.sort(), [
    'perennial.platform.calls 1 billing.createAttempts unauthorized',
    'perennial.platform.calls 1 billing.createAttempts unavailable',
    'perennial.platform.calls 1 shop.read ok'
  ])
})

test('that the platform refuses a token is reported once until it takes one, again if the report fails, and not for a token that is tried out', async () => {
  let status = 401
  const { url } = await aPlatform((res) => json(res, { data: shop }, status))
  const reports: string[] = []
  let isBroken = true
  const connectors = createConnectors({
    async onTokenRefused(storeId, message) {
      reports.push(`${storeId}: ${message}`)
      if (isBroken) throw new Error('It cannot be written')
    },
    onTokenTaken: async (storeId) => void reports.push(`${storeId} takes it`)
  })
  const read = (connector = connectors.to(access(url))) => connector.shop.read()
  await read(connectors.tryOut(access(url, { accessToken: 'wrong' })))
  assert.deepEqual(reports, [])
  const refusal = '1: The platform answered 401 to the access token'
  await read()
  isBroken = false
  await read()
  await read()
  assert.deepEqual(reports, [refusal, refusal])
  status = 500
  await read()
  status = 200
  await read()
  await read()
  assert.deepEqual(reports.slice(2), ['1 takes it'])
  // A part of a response that is denied says nothing about the token.
  const { url: denying } = await aPlatform((res) =>
    json(res, { errors: [{ message: 'Access denied', extensions: { code: 'ACCESS_DENIED' } }] })
  )
  await read(connectors.to(access(denying, { storeId: 2 })))
  status = 403
  await read()
  assert.deepEqual(reports.slice(3), ['1: The platform answered 403 to the access token'])
})
