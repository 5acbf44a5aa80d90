import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CreditChange } from './credit.ts'
import { type Draft, emptyDraft, planChange } from './plan-change.ts'

const NOW = Temporal.Instant.from('2026-01-31T15:00:00Z')
const MARCH = Temporal.Instant.from('2026-03-01T00:00:00Z')

const anAccount = (balanceMinor: number): Draft => ({ ...emptyDraft(1), balanceMinor })
const change = (draft: Draft, operationId: string, amountMinor: number, over: Partial<CreditChange> = {}) =>
  planChange(draft, { memberId: 1, type: 'manual_add', amountMinor, reason: 'x', operationId, ...over }, NOW)
const lotsOf = ({ lots }: Draft) => lots.map(({ operationId, remainingMinor }) => [operationId, remainingMinor])

test('of lots that end at the same time the older one is spent first', () => {
  const draft = anAccount(0)
  for (const id of ['a', 'b', 'c']) change(draft, id, 100, { expiresAt: MARCH })
  change(draft, 'spent', -150)
  assert.deepEqual(lotsOf(draft), [
    ['a', 0],
    ['b', 50],
    ['c', 100]
  ])
})

test('an account whose lots are short of its balance spends nothing', () => {
  const draft = {
    ...anAccount(100),
    lots: [
      {
        entryId: 7,
        operationId: null,
        expiresAt: null,
        remainingMinor: 60,
        reservedMinor: 0,
        before: { remainingMinor: 60, reservedMinor: 0 },
        isMissing: false,
        isChanged: false
      }
    ]
  }
  assert.throws(() => change(draft, 'a', -100), /40 short of the balance/)
})
