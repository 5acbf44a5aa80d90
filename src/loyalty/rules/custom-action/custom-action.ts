import { meaning, textLike, trueOrFalse, withDefault } from '#kit/json-fields'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for what another program reports. */
export const customAction = defineRuleType({
  name: 'custom_action',
  kind: 'earn_points',
  help: 'A reward for an action that a program of the shop reports by the API.',
  keys: () => ({
    action_key: meaning(
      'The name by which the program reports it',
      textLike('a name of 1 to 64 letters, digits, - _ . or :', /^[\w.:-]{1,64}$/)
    ),
    one_time: meaning('Once for each customer, instead of each time', withDefault(trueOrFalse(), false))
  }),
  counts: {
    mode: 'each',
    limit: ({ one_time }) => (one_time ? 1 : null),
    amounts: { action: ({ action_key }, { actionKey }) => (action_key === actionKey ? 1 : 0) }
  },
  rewards: FIXED_REWARDS,
  required: ({ one_time }) => (one_time ? 1 : null),
  example: { rules: { action_key: 'quiz_done', one_time: true }, reward_rules: { reward_type: 'points', amount: 25 } },
  sentence: ({ action_key }, { reward }) =>
    `Get ${reward} for ${action_key.replaceAll(/[_.:-]+/g, ' ').trim() || action_key}`
})
