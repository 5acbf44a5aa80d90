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
  counts: {
    mode: 'each',
    limit: () => 1,
    amounts: { tag: ({ tag }, cause) => (tag.toLowerCase() === cause.tag.toLowerCase() ? 1 : 0) }
  },
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: { rules: { tag: 'Ambassador' }, reward_rules: { reward_type: 'points', amount: 250 } },
  sentence: ({ tag }, { reward }) => `Get ${reward} with the tag ${tag}`
})
