import { meaning } from '#kit/json-fields'
import { keptMinor } from '../../causes/order-amounts.ts'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for an amount that is spent in all. */
export const goalSpend = defineRuleType({
  name: 'goal_spend',
  kind: 'earn_points',
  help: 'A reward for who has spent an amount in all. Progress is in whole units of the currency.',
  keys: ({ amountAboveZero }) => ({ goal_amount: meaning('What has to be spent in all', amountAboveZero()) }),
  counts: {
    mode: 'sum',
    goal: ({ goal_amount }) => goal_amount,
    repeats: () => false,
    isMoney: true,
    amounts: { order: (rules, order) => keptMinor(order, rules) }
  },
  rewards: FIXED_REWARDS,
  required: ({ goal_amount }, { wholeUnits }) => wholeUnits(goal_amount),
  example: { rules: { goal_amount: 100 }, reward_rules: { reward_type: 'points', amount: 500 } },
  sentence: ({ goal_amount }, { reward, money }) => `Spend ${money.words(goal_amount)} in all and get ${reward}`
})
