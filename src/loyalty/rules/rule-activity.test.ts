import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wasActive } from './rule.ts'

const at = Temporal.Instant.from
const rule = {
  isEnabled: true,
  startsOn: Temporal.PlainDate.from('2026-03-01'),
  endsOn: null,
  createdAt: at('2026-03-01T09:00:13.047Z'),
  countsFrom: null
}

test('what was done in the second in which a rule began counts: the platform says times in whole seconds', () => {
  for (const [given, when, counts] of [
    [rule, '2026-03-01T09:00:13Z', true],
    [rule, '2026-03-01T09:00:12Z', false],
    [{ ...rule, countsFrom: at('2026-03-01T10:00:13.9Z') }, '2026-03-01T10:00:13Z', true],
    [{ ...rule, countsFrom: at('2026-03-01T10:00:13.9Z') }, '2026-03-01T10:00:12Z', false]
  ] as const) {
    assert.equal(wasActive(given, at(when), 'UTC'), counts, when)
  }
})
