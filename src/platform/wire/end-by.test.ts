// A charge is sent only while its call surely ends in time, whatever has delayed it within the client.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorOptions } from '#platform'
import { anAttempt, aPlatform, created, data, json, theFailure, theValue } from '../../../test/fake-platform.ts'
import type { AttemptRequest } from '../billing/billing-api.ts'
import { isUnreached } from './outcome.ts'

const request = (leftMs: number): AttemptRequest => ({
  contractId: '9',
  idempotencyKey: 'key-1',
  originTime: Temporal.Instant.from('2026-02-28T10:00:00Z'),
  endBy: performance.now() + leftMs
})
const PENDING = { __typename: 'SubscriptionBillingAttemptPendingState' }

/** Charges where `leftMs` are left for the call: what came of it, and how often it was sent. */
async function charge(leftMs: number, options: ConnectorOptions, throttledTimes = 0) {
  const { connect, requests } = await aPlatform((res, _sent, n) =>
    n <= throttledTimes
      ? json(res, { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] })
      : data(res, created(anAttempt('1', PENDING, 'key-1')))
  )
  const result = await connect(options).billing.createAttempt(request(leftMs))
  return { result, sent: requests.length }
}

test('a charge is sent while a whole try fits into its time', async () => {
  const { result, sent } = await charge(2_000, { timeoutMs: 1_000 })
  assert.equal(theValue(result).id, '1')
  assert.equal(sent, 1)
})

test('a charge is not sent when a try could end too late, and that is known', async () => {
  for (const { result, sent } of [
    await charge(900, { timeoutMs: 1_000 }),
    await charge(600, { timeoutMs: 500, mayChange: () => sleep(200, true) })
  ]) {
    const failure = theFailure(result)
    assert.deepEqual(
      [sent, failure.kind, failure.code, failure.outcomeUnknown],
      [0, 'unavailable', 'too_late', undefined]
    )
    assert.equal(isUnreached(failure), true)
  }
})

test('a charge that was throttled is not sent again when the try could end too late', async () => {
  const { result, sent } = await charge(1_050, { timeoutMs: 1_000, throttleWaitMs: 2_000 }, 1)
  assert.deepEqual([theFailure(result).kind, sent], ['throttled', 1])
  const again = await charge(3_000, { timeoutMs: 1_000, throttleWaitMs: 2_000 }, 1)
  assert.deepEqual([again.result.ok, again.sent], [true, 2])
})
