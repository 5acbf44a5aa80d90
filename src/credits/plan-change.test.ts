import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CreditChange } from './credit.ts'
import { type Draft, planChange } from './plan-change.ts'

const NOW = Temporal.Instant.from('2026-01-31T15:00:00Z')
const MARCH = Temporal.Instant.from('2026-03-01T00:00:00Z')

const anAccount = (balanceMinor: number): Draft => ({
  memberId: 1,
  balanceMinor,
  entries: 0,
  updatedAt: null,
  dueMinor: 0,
  lots: []
})
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

test('credit added below zero can be spent as far as it reaches above zero', () => {
  const draft = anAccount(-100)
  change(draft, 'a', 50)
  assert.deepEqual(lotsOf(draft), [])
  change(draft, 'b', 50)
  change(draft, 'c', 40)
  change(draft, 'd', -40)
  assert.deepEqual(lotsOf(draft), [['c', 0]])
  assert.equal(change(draft, 'e', -1), 'not enough')
})

test('an account whose lots are short of its balance spends nothing', () => {
  const draft = {
    ...anAccount(100),
    lots: [{ entryId: 7, operationId: null, expiresAt: null, remainingMinor: 60, isChanged: false }]
  }
  assert.throws(() => change(draft, 'a', -100), /40 short of the balance/)
})
