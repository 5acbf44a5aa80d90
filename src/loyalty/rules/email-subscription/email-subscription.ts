import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for the consent to e-mails. */
export const emailSubscription = defineRuleType({
  name: 'email_subscription',
  kind: 'earn_points',
  help: 'A reward for who agrees to e-mails of the shop, once.',
  keys: () => ({}),
  counts: { mode: 'each', limit: () => 1, amounts: { consent: (_, { channel }) => (channel === 'email' ? 1 : 0) } },
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: { rules: {}, reward_rules: { reward_type: 'free_shipping' } },
  sentence: (_, { reward }) => `Subscribe to our e-mails and get ${reward}`
})
