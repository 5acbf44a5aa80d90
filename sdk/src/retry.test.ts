import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterMs, waitMs } from './retry.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const responseWith = (status: number, headers: Record<string, string>) => new Response(null, { status, headers })

test('back-off doubles up to a limit, over the whole span of chance', () => {
  for (const [retries, most] of [500, 1000, 2000, 4000, 8000, 8000, 8000].entries()) {
    assert.equal(
      waitMs(retries, null, () => 0),
      0
    )
    assert.equal(
      waitMs(retries, null, () => 0.5),
      most / 2
    )
  }
})

test('what the service asks for is waited for in full, and then the back-off', () => {
  assert.equal(
    waitMs(1, 7000, () => 0.5),
    7500
  )
})

for (const [name, status, headers, expected] of [
  ['seconds', 429, { 'retry-after': '42' }, 42_000],
  ['no seconds', 503, { 'retry-after': '0' }, 0],
  [
    'a date, by the clock of the response',
    503,
    { 'retry-after': 'Sun, 01 Mar 2026 09:00:05 GMT', date: 'Sun, 01 Mar 2026 09:00:00 GMT' },
    5000
  ],
  ['a date, by our own clock', 503, { 'retry-after': 'Sun, 01 Mar 2026 12:00:05 GMT' }, 5000],
  ['a date that is over', 503, { 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
  ['nonsense', 503, { 'retry-after': 'soon' }, null],
  ['the end of the window', 429, { 'x-ratelimit-reset': String(NOW / 1000 + 30) }, 30_000],
  [
    'the end of the window, by the clock of the response',
    429,
    { 'x-ratelimit-reset': '1000030', date: new Date(1_000_000_000).toUTCString() },
    30_000
  ],
  ['a broken end of the window', 429, { 'x-ratelimit-reset': 'x' }, null],
  ['the end of a window that is not used up', 503, { 'x-ratelimit-reset': String(NOW / 1000 + 30) }, null],
  ['nothing', 500, {}, null]
] as [string, number, Record<string, string>, number | null][]) {
  test(`a response asks for a wait: ${name}`, () => {
    assert.equal(retryAfterMs(responseWith(status, headers), NOW), expected)
  })
}
