import { meaning, textLike } from '#kit/json-fields'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for a tag of the customer. */
export const customerTag = defineRuleType({
  name: 'customer_tag',
  kind: 'earn_points',
  help: 'A reward for who gets a tag in the shop, once.',
  keys: () => ({
    tag: meaning('The tag', textLike('a tag of 1 to 255 characters without a comma', /^[^,]*[^,\s][^,]*$/))
  }),
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: { rules: { tag: 'Ambassador' }, reward_rules: { reward_type: 'points', amount: 250 } },
  sentence: ({ tag }, { reward }) => `Get ${reward} with the tag ${tag}`
})
