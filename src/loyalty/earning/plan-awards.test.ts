import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moneyOf, readStored } from '#kit/json-fields'
import { rewardField } from '../rewards/reward.ts'
import type { RuleTerms } from '../rules/rule-terms.ts'
import { ruleTypeOf } from '../rules/rule-types.ts'
import type { Award } from './award-queries.ts'
import { planAwards } from './plan-awards.ts'

const AT = Temporal.Instant.from('2026-01-31T15:00:00Z')

function termsOf(typeName: string, rules: object, reward: object): RuleTerms {
  const [type, money] = [ruleTypeOf(typeName), moneyOf('USD')]
  return {
    ...{ ruleId: 1, version: 1, name: typeName, type, money },
    rules: readStored(type.field(money), rules, 'rules'),
    reward: readStored(rewardField(type.rewards, money), reward, 'reward_rules')
  }
}

const perDollar = termsOf('points_for_purchases', { points_per_dollar: 1 }, { reward_type: 'points' })
const anAward = (points: number): Award => ({
  ...{ id: 5, ruleId: 1, version: 1, memberId: 7, key: 'order:1', nth: 1, amount: points * 100, points },
  ...{ pointsEntryId: 9, creditEntryId: null, couponId: null, grantId: null, creditMinor: null }
})

/** What follows when an order that has this award comes to this many minor units. */
function edited(award: Award | null, amount: number, mayGive: boolean) {
  const count = {
    ruleId: 1,
    version: 1,
    memberId: 7,
    cause: 'order:1',
    amount,
    multiplierHundredths: 100,
    orderId: 1,
    at: AT
  }
  const { gives, reverses, progress } = planAwards({
    ...{ terms: perDollar, counts: [{ count, terms: perDollar, before: award?.amount ?? 0 }] },
    ...{ standing: award ? [award] : [], used: 0, mayGive },
    progress: { ruleId: 1, memberId: 7, counted: amount, rewarded: award ? 1 : 0 }
  })
  return { gives: gives.map(({ points }) => points), reverses: reverses.length, rewarded: progress.rewarded }
}

test('what an order gave is taken back and given anew when it comes to another amount', () => {
  assert.deepEqual(edited(null, 4000, true), { gives: [40], reverses: 0, rewarded: 1 })
  assert.deepEqual(edited(anAward(40), 4000, true), { gives: [], reverses: 0, rewarded: 1 })
  assert.deepEqual(edited(anAward(40), 5000, true), { gives: [50], reverses: 1, rewarded: 1 })
  assert.deepEqual(edited(anAward(40), 3500, true), { gives: [35], reverses: 1, rewarded: 1 })
  assert.deepEqual(edited(anAward(40), 0, true), { gives: [], reverses: 1, rewarded: 0 })
})

test('while loyalty is off nothing is given and nothing becomes more, and what is earned is kept as far as it is still right', () => {
  assert.deepEqual(edited(null, 4000, false), { gives: [], reverses: 0, rewarded: 0 })
  assert.deepEqual(edited(anAward(40), 5000, false), { gives: [], reverses: 0, rewarded: 1 })
  assert.deepEqual(edited(anAward(40), 3500, false), { gives: [35], reverses: 1, rewarded: 1 })
  assert.deepEqual(edited(anAward(40), 0, false), { gives: [], reverses: 1, rewarded: 0 })
})
