import { meaning, trueOrFalse, withDefault } from '#kit/json-fields'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for an account in the shop. */
export const createAccount = defineRuleType({
  name: 'create_account',
  kind: 'earn_points',
  help: 'A reward for who creates an account in the shop, once.',
  keys: () => ({
    retroactive: meaning('Also for accounts that were there before the rule', withDefault(trueOrFalse(), false))
  }),
  counts: {
    mode: 'each',
    limit: () => 1,
    amounts: { account: ({ retroactive }, { isPast }) => (isPast && !retroactive ? 0 : 1) }
  },
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: { rules: {}, reward_rules: { reward_type: 'points', amount: 100 } },
  sentence: (_, { reward }) => `Create an account and get ${reward}`
})
