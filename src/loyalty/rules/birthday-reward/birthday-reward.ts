import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward on the birthday. */
export const birthdayReward = defineRuleType({
  name: 'birthday_reward',
  kind: 'birthday',
  help: 'A reward on the birthday of the customer, once a year, in the time zone of the shop.',
  keys: () => ({}),
  counts: {
    mode: 'each',
    limit: () => null,
    isYearly: true,
    amounts: { occasion: (_, { occasion }) => (occasion === 'birthday' ? 1 : 0) }
  },
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: {
    rules: {},
    reward_rules: { reward_type: 'discount', discount_type: 'fixed_amount', discount_amount: 5, code_prefix: 'BDAY-' }
  },
  sentence: (_, { reward }) => `Get ${reward} on your birthday`
})
