import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineOf } from './decline-codes.ts'
import { nextDunningStep } from './next-dunning-step.ts'

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
