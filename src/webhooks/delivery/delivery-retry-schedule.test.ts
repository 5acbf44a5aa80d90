import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTryAt, RETRY_SCHEDULE } from './delivery-retry-schedule.ts'

const now = Temporal.Instant.from('2026-05-01T00:00:00Z')
const minutesAfter = (tries: number, spread = 0, schedule = RETRY_SCHEDULE) => {
  return nextTryAt(schedule, tries, now, spread)?.since(now).total('minutes')
}

test('waits as the contract lists, and ends after six tries', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((tries) => minutesAfter(tries)),
    [1, 5, 30, 120, 720, undefined]
  )
})

test('the sixth wait comes in where more tries are allowed, and repeats', () => {
  const more = { ...RETRY_SCHEDULE, maxTries: 8 }
  assert.deepEqual(
    [6, 7, 8].map((tries) => minutesAfter(tries, 0, more)),
    [1440, 1440, undefined]
  )
})

test('jitter only ever adds, and at most a twentieth', () => {
  assert.equal(minutesAfter(2, 0), 5)
  assert.equal(minutesAfter(2, 1), 5.25)
})
