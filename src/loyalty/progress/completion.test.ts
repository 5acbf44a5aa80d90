import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { moneyOf, readStored } from '#kit/json-fields'
import { rewardField } from '../rewards/reward.ts'
import { type LoyaltyRule, ruleRequired } from '../rules/rule.ts'
import { RULE_TYPES, ruleTypeOf } from '../rules/rule-types.ts'
import { completionOf } from './completion.ts'
import type { RuleProgress } from './progress-queries.ts'

const NOW = Temporal.Instant.from('2027-01-01T03:00:00Z')
// It is still 2026 there.
const NEW_YORK = { now: NOW, timezone: 'America/New_York' }

function aRule(typeName: string, given: object | null = null, currency = 'USD'): LoyaltyRule {
  const type = ruleTypeOf(typeName)
  const money = moneyOf(currency)
  return {
    ...{ id: 1, name: 'A', description: '', isEnabled: true, isActive: true, version: 1, countsFrom: null },
    ...{ startsOn: Temporal.PlainDate.from('2026-01-01'), endsOn: null, createdAt: NOW, updatedAt: NOW },
    type,
    money,
    rules: readStored(type.field(money), given ?? type.example.rules, 'rules'),
    reward: readStored(rewardField(type.rewards, money), type.example.reward_rules, 'reward_rules')
  }
}

const progress = (counted: number, rewarded: number, lastAt: string | null = null): RuleProgress => ({
  ...{ ruleId: 1, counted, rewarded, lastAt: lastAt === null ? null : Temporal.Instant.from(lastAt) }
})
const shown = (rule: LoyaltyRule, given: RuleProgress | null) => {
  const found = completionOf(rule, given, NEW_YORK)
  return found && [found.current, found.required, found.percentage]
}

test('a goal of money is in whole units: rounded down until it is reached, and then at least what is required', () => {
  const goal = aRule('goal_spend', { goal_amount: 99.5 })
  for (const [counted, expected] of [
    [0, [0, 100, 0]],
    [99, [0, 100, 0]],
    [4999, [49, 100, 49]],
    [9949, [99, 100, 99]],
    [9950, [100, 100, 100]],
    [31_999, [319, 100, 100]]
  ] as const) {
    assert.deepEqual(shown(goal, progress(counted, 0)), expected, `${counted}`)
  }
  assert.deepEqual(shown(goal, null), [0, 100, 0])
  assert.deepEqual(shown(aRule('goal_spend', { goal_amount: 5000 }, 'JPY'), progress(1250, 0)), [1250, 5000, 25])
})

test('a card that begins anew leaves out what its goals have used, and one that does not goes on counting', () => {
  const anew = aRule('punch_card', { required_purchases: 3, resets: true })
  assert.deepEqual(shown(anew, progress(2, 0)), [2, 3, 66])
  assert.deepEqual(shown(anew, progress(3, 3)), [0, 3, 0])
  assert.deepEqual(shown(anew, progress(7, 6)), [1, 3, 33])
  const once = aRule('punch_card', { required_purchases: 3 })
  assert.deepEqual(shown(once, progress(3, 3)), [3, 3, 100])
  assert.deepEqual(shown(once, progress(7, 3)), [7, 3, 100])
  // Two were asked for when it was reached.
  assert.deepEqual(shown(once, progress(2, 2)), [3, 3, 100])
  for (const type of ['membership_recharge_punch_card', 'product_recharge_punch_card']) {
    const card = aRule(type, { required_recharges: 4 })
    assert.deepEqual(shown(card, progress(1, 0)), [1, 4, 25], type)
    assert.deepEqual(shown(card, progress(4, 4)), [4, 4, 100], type)
  }
})

test('what is done once is 0 or 1 of 1, and what has a number of times is so many of them', () => {
  for (const type of ['create_account', 'email_subscription', 'sms_subscription', 'social', 'customer_tag']) {
    assert.deepEqual(shown(aRule(type), null), [0, 1, 0], type)
    assert.deepEqual(shown(aRule(type), progress(1, 1)), [1, 1, 100], type)
    // It was counted, and the reward is taken back.
    assert.deepEqual(shown(aRule(type), progress(1, 0)), [0, 1, 0], type)
  }
  // Two customers whom the platform merged had one each.
  assert.deepEqual(shown(aRule('social'), progress(2, 2)), [1, 1, 100])
  const once = aRule('custom_action', { action_key: 'quiz', one_time: true })
  assert.deepEqual(shown(once, progress(3, 1)), [1, 1, 100])
  assert.deepEqual(shown(aRule('reviews', { limit: 3 }), progress(2, 2)), [2, 3, 66])
  assert.deepEqual(shown(aRule('referral', { limit: 7 }), progress(1, 1)), [1, 7, 14])
})

test('what comes once a year is complete in the year of the shop in which it came', () => {
  for (const type of ['birthday_reward', 'anniversary_reward']) {
    assert.deepEqual(shown(aRule(type), null), [0, 1, 0], type)
    assert.deepEqual(shown(aRule(type), progress(2, 2, '2026-01-01T05:00:00Z')), [1, 1, 100], type)
    assert.deepEqual(shown(aRule(type), progress(2, 2, '2026-01-01T04:59:59Z')), [0, 1, 0], type)
    assert.deepEqual(shown(aRule(type), progress(1, 0)), [0, 1, 0], type)
  }
})

test('a rule that never ends has no progress', () => {
  for (const rule of [
    aRule('points_for_purchases'),
    aRule('upload_receipt'),
    aRule('custom_action', { action_key: 'quiz' }),
    aRule('reviews', { limit: null }),
    aRule('referral')
  ]) {
    assert.equal(completionOf(rule, progress(900, 9), NEW_YORK), null, rule.type.name)
  }
})

const anyProgress = fc
  .record({ counted: fc.maxSafeNat(), share: fc.double({ min: 0, max: 1, noNaN: true }), when: fc.integer() })
  .map(({ counted, share, when }) => {
    const some = counted % 1_000_000_000_000
    return { ...progress(some, Math.floor(some * share)), lastAt: NOW.add({ seconds: when }) }
  })

test('of every type progress is in whole numbers from 0, and the percentage is floored, at most 100, and 100 of what is complete alone', () => {
  for (const { name } of RULE_TYPES) {
    const rule = aRule(name)
    fc.assert(
      fc.property(anyProgress, (given) => {
        const found = completionOf(rule, given, NEW_YORK)
        if (found === null) return ruleRequired(rule) === null
        const { current, required, percentage } = found
        assert.ok([current, required, percentage].every((one) => Number.isSafeInteger(one) && one >= 0))
        assert.equal(percentage, Math.min(100, Math.floor((current / required) * 100)))
        return (percentage === 100) === current >= required
      }),
      { numRuns: 300 }
    )
  }
})

test('more that is counted is never less progress', () => {
  const rule = aRule('goal_spend', { goal_amount: 333.33 })
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(10_000), (counted, more) => {
      const before = completionOf(rule, progress(counted, 0), NEW_YORK)!
      const after = completionOf(rule, progress(counted + more, 0), NEW_YORK)!
      return after.current >= before.current && after.percentage >= before.percentage
    })
  )
})
