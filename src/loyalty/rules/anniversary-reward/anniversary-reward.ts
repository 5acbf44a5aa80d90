import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward on each anniversary of the membership. */
export const anniversaryReward = defineRuleType({
  name: 'anniversary_reward',
  kind: 'earn_points',
  help: 'A reward on the day on which the customer became a member, once a year, in the time zone of the shop.',
  keys: () => ({}),
  counts: {
    mode: 'each',
    limit: () => null,
    isYearly: true,
    amounts: { occasion: (_, { occasion }) => (occasion === 'anniversary' ? 1 : 0) }
  },
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: { rules: {}, reward_rules: { reward_type: 'store_credit', amount: 10 } },
  sentence: (_, { reward }) => `Get ${reward} on each anniversary of your membership`
})
