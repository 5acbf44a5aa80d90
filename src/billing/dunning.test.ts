import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DECLINE_CODES, declineOf } from './decline-codes.ts'
import { nextDunningStep } from './dunning.ts'

const settings = { retryAfterDays: [2, 5, 7, 7], onFailure: 'cancel' as const }
const now = Temporal.Instant.from('2026-03-06T15:00:00Z')
const step = (declines: number, code: string) =>
  nextDunningStep(declines, declineOf(code), settings, now, 'America/New_York')

test('a soft decline walks down the ladder and counts the tries that are left', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((declines) => {
      const { outcome, retryAt, attemptsRemaining } = step(declines, 'insufficient_funds')
      return [outcome, retryAt?.toString() ?? null, attemptsRemaining]
    }),
    [
      // Daylight saving begins on the 8th: the same local hour is an hour earlier in UTC.
      ['declined', '2026-03-08T14:00:00Z', 4],
      ['declined', '2026-03-11T14:00:00Z', 3],
      ['declined', '2026-03-13T14:00:00Z', 2],
      ['declined', '2026-03-13T14:00:00Z', 1],
      ['given_up', null, 0]
    ]
  )
})

test('a hard decline waits for a new payment method', () => {
  assert.deepEqual(step(1, 'expired_card'), { outcome: 'declined', retryAt: null, attemptsRemaining: 4 })
})

test('every error code of the platform has its class, whatever its case, and unknown ones pass through', async () => {
  const sdl = gunzipSync(
    await readFile(new URL('../../test/fixtures/platform/admin-schema.2026-07.graphql.gz', import.meta.url))
  )
  const codes = /enum SubscriptionBillingAttemptErrorCode \{([\s\S]*?)\n\}/.exec(sdl.toString())![1]!
  const names = [...codes.replace(/"""[\s\S]*?"""/g, '').matchAll(/^ {2}([A-Z_0-9]+)/gm)].map((match) => match[1]!)
  assert.ok(names.length > 40)
  assert.deepEqual(
    names.filter((name) => !DECLINE_CODES.has(name.toLowerCase())),
    []
  )
  assert.deepEqual(declineOf('INSUFFICIENT_FUNDS'), {
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    kind: 'soft'
  })
  assert.deepEqual(declineOf('moon_phase'), { code: 'card_declined', declineCode: 'moon_phase', kind: 'soft' })
})
