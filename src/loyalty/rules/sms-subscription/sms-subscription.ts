import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for the consent to text messages. */
export const smsSubscription = defineRuleType({
  name: 'sms_subscription',
  kind: 'earn_points',
  help: 'A reward for who agrees to text messages of the shop, once.',
  keys: () => ({}),
  counts: { mode: 'each', limit: () => 1, amounts: { consent: (_, { channel }) => (channel === 'sms' ? 1 : 0) } },
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: { rules: {}, reward_rules: { reward_type: 'points', amount: 50 } },
  sentence: (_, { reward }) => `Subscribe to our text messages and get ${reward}`
})
