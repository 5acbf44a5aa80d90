import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moneyOf, readStored } from '#kit/json-fields'
import type { OrderCause } from '../../causes/cause.ts'
import { referral } from './referral.ts'

const money = moneyOf('USD')

/** How much a rule counts of a friend's order of 40.00. */
function counts(rules: object, { paidAfterDays = 0, ...order }: Partial<OrderCause> & { paidAfterDays?: number } = {}) {
  const read = readStored(referral.field(money), rules, 'rules') as never
  const whole = { minor: 0, wholeMinor: 4000 }
  const placed: OrderCause = {
    ...{ kind: 'order', orderId: 1, lines: [{ productId: '7', collectionIds: [], netMinor: 4000 }], creditMinor: 0 },
    ...{ isPaid: true, takenBack: whole, renewals: [], unread: new Set(), ...order }
  }
  return referral.counts.amounts.referral!(read, { kind: 'referral', order: placed, paidAfterDays })
}

test('a referral counts while the first order is paid, in time, and as large as the rule asks for', () => {
  assert.equal(counts({}), 1)
  assert.equal(counts({}, { isPaid: false }), 0)
  assert.equal(counts({ minimum_order: 40 }), 1)
  assert.equal(counts({ minimum_order: 40.01 }), 0)
  assert.equal(counts({ minimum_order: 30 }, { takenBack: { minor: 1000, wholeMinor: 4000 } }), 1)
  assert.equal(counts({ minimum_order: 30 }, { takenBack: { minor: 1001, wholeMinor: 4000 } }), 0)
  assert.equal(counts({}, { takenBack: { minor: 4000, wholeMinor: 4000 } }), 0)
  assert.equal(counts({ expire_after: 2 }, { paidAfterDays: 2 }), 1)
  assert.equal(counts({ expire_after: 2 }, { paidAfterDays: 3 }), 0)
  assert.equal(counts({ product_ids: ['7'] }), 1)
  assert.equal(counts({ product_ids: ['8'] }), 0)
})

test('without validation only a referral that is refused counts nothing', () => {
  const rules = { validation_strategy: 'none', expire_after: 1 }
  assert.equal(counts(rules, { isPaid: false, paidAfterDays: 9 }), 1)
  const read = readStored(referral.field(money), rules, 'rules') as never
  assert.equal(referral.counts.amounts.referral!(read, { kind: 'referral', order: null, paidAfterDays: 0 }), 0)
})
