import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Subscription } from '#subscriptions'
import type { Attempt } from '../attempts/attempt.ts'
import { declineOf } from './decline-codes.ts'
import { dunningStepAfter, nextDunningStep } from './next-dunning-step.ts'
import { isLastContractRetry, remainingWhileOpen } from './retry-schedule.ts'

const settings = {
  retryAfterDays: [2, 5, 7, 7],
  onFailure: 'cancel' as const,
  hardDeclineWaitDays: 21,
  inventory: { retryAfterDays: [1, 2], onFailure: 'skip' as const }
}
const now = Temporal.Instant.from('2026-03-06T15:00:00Z')
/** The step after the `failures`-th failure of its kind; the other kind had failed twice before. */
function step(failures: number, code: string) {
  const decline = declineOf(code)
  const [declines, inventoryFailures] = decline.kind === 'inventory' ? [2, failures - 1] : [failures - 1, 2]
  const { next, attemptsRemaining } = nextDunningStep(
    { declines, inventoryFailures },
    decline,
    settings,
    now,
    'America/New_York'
  )
  const dates = next.outcome === 'declined' ? [next.retryAt, next.paymentMethodDeadline] : []
  const shown = dates.map((at) => at?.toString() ?? null)
  return [
    next.outcome,
    ...shown,
    attemptsRemaining,
    next.counts,
    ...(next.outcome === 'retries_exhausted' ? [next.ending] : [])
  ]
}

test('a soft decline walks down the ladder and counts the tries that are left', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((declines) => step(declines, 'insufficient_funds')),
    [
      // Daylight saving begins on the 8th: the same local hour is an hour earlier in UTC.
      ['declined', '2026-03-08T14:00:00Z', null, 4, 'declines'],
      ['declined', '2026-03-11T14:00:00Z', null, 3, 'declines'],
      ['declined', '2026-03-13T14:00:00Z', null, 2, 'declines'],
      ['declined', '2026-03-13T14:00:00Z', null, 1, 'declines'],
      ['retries_exhausted', 0, 'declines', 'cancel']
    ]
  )
})

test('a hard decline waits for a new payment method, as long as the store has set', () => {
  assert.deepEqual(step(1, 'expired_card'), ['declined', null, '2026-03-27T14:00:00Z', 0, 'declines'])
})

test('goods that are not there have a ladder of their own', () => {
  assert.deepEqual(
    [1, 2, 3].map((failures) => step(failures, 'insufficient_inventory')),
    [
      ['declined', '2026-03-07T15:00:00Z', null, 2, 'inventoryFailures'],
      ['declined', '2026-03-08T14:00:00Z', null, 1, 'inventoryFailures'],
      ['retries_exhausted', 0, 'inventoryFailures', 'skip']
    ]
  )
})

test('what no card helps with is held, and uses up nothing', () => {
  for (const code of ['contract_paused', 'blank', 'invalid_currency']) {
    assert.deepEqual(step(5, code), ['declined', null, null, 0, null], code)
  }
})

const rules = { dunning: settings, timezone: 'America/New_York' }
const RETRY = Temporal.Instant.from('2026-03-09T15:00:00Z')
/** The step after a decline of an attempt, as [outcome, retry, deadline, tries to come, what is counted]. */
function stepAfter(code: string, attempt: Partial<Attempt> = {}, counts: Partial<Subscription> = {}) {
  const of = { attemptNumber: 1, manual: false, ladderRetryAt: null, newPaymentMethod: false, ...attempt } as Attempt
  const subscription = { declines: 0, inventoryFailures: 0, ...counts } as Subscription
  const { next, attemptsRemaining } = dunningStepAfter(of, declineOf(code), subscription, rules, now)
  const dates = next.outcome === 'declined' ? [next.retryAt, next.paymentMethodDeadline] : [next.reason, next.ending]
  return [next.outcome, ...dates.map((at) => at?.toString() ?? null), attemptsRemaining, next.counts]
}

test('a manual attempt beside the schedule counts nothing and leaves the retry that waits where it was', () => {
  const beside = { manual: true, ladderRetryAt: RETRY }
  assert.deepEqual(stepAfter('insufficient_funds', beside), ['declined', String(RETRY), null, 5, null])
  assert.deepEqual(stepAfter('insufficient_funds', beside, { declines: 2 }), ['declined', String(RETRY), null, 3, null])
  const passed = { manual: true, ladderRetryAt: now.subtract({ hours: 1 }) }
  assert.deepEqual(stepAfter('insufficient_funds', passed, { declines: 1 }), ['declined', String(now), null, 4, null])
  // The card turned out to be dead, or was held before: it waits for another one.
  const deadline = '2026-03-27T14:00:00Z'
  assert.deepEqual(stepAfter('expired_card', beside, { declines: 1 }), ['declined', null, deadline, 0, null])
  const held = stepAfter('insufficient_funds', { manual: true }, { declines: 1 })
  assert.deepEqual(held, ['declined', null, deadline, 0, null])
})

test('a manual attempt with nothing behind it counts like any other, and an order that no card can pay is held', () => {
  const first = stepAfter('insufficient_funds', { manual: true })
  assert.deepEqual(first, ['declined', '2026-03-08T14:00:00Z', null, 4, 'declines'])
  const order = stepAfter('invalid_currency', { manual: true, ladderRetryAt: RETRY }, { declines: 1 })
  assert.deepEqual(order, ['declined', null, null, 0, null])
})

test('a payment method that arrived meanwhile is tried at once, unless no card helps', () => {
  const arrived = { newPaymentMethod: true }
  assert.deepEqual(stepAfter('expired_card', arrived), ['declined', String(now), null, 4, 'declines'])
  assert.deepEqual(stepAfter('insufficient_funds', arrived, { declines: 3 }), [
    'declined',
    String(now),
    null,
    1,
    'declines'
  ])
  const goods = stepAfter('insufficient_inventory', arrived, { declines: 1 })
  assert.deepEqual(goods.slice(1, 3), ['2026-03-07T15:00:00Z', null])
  assert.deepEqual(stepAfter('invalid_currency', arrived), ['declined', null, null, 0, null])
})

test('a contract that is not billed is tried six times more, in ever longer steps', () => {
  const steps = [1, 2, 3, 4, 5, 6, 7, 8].map((attemptNumber) => stepAfter('contract_paused', { attemptNumber }))
  const hours = (at: unknown) =>
    at === null
      ? null
      : Temporal.Instant.from(at as string)
          .since(now)
          .total('hours')
  assert.deepEqual(
    steps.map(([outcome, retryAt, , remaining]) => [outcome, hours(retryAt), remaining]),
    [1, 6, 24, 48, 96, 168, null, null].map((after, i) => ['declined', after, Math.max(6 - i, 0)])
  )
  assert.deepEqual([6, 7].map(isLastContractRetry), [false, true])
})

test('a cycle that is paid or skipped on the platform is skipped here, whatever else is known', () => {
  const all = { manual: true, ladderRetryAt: RETRY, newPaymentMethod: true }
  assert.deepEqual(stepAfter('invoice_already_paid', all), ['retries_exhausted', 'already_paid', 'skip', 0, null])
  assert.deepEqual(stepAfter('billing_cycle_skipped', all), [
    'retries_exhausted',
    'billing_cycle_skipped',
    'skip',
    0,
    null
  ])
})

test('the tries that follow an open attempt are those of the schedule that its cycle is on', () => {
  const remaining = (declines: number, inventoryFailures: number) =>
    remainingWhileOpen({ declines, inventoryFailures }, settings)
  assert.deepEqual([remaining(0, 0), remaining(1, 0), remaining(4, 0), remaining(5, 0)], [4, 3, 0, 0])
  assert.deepEqual([remaining(0, 1), remaining(0, 2), remaining(0, 3), remaining(1, 1)], [1, 0, 0, 3])
})
