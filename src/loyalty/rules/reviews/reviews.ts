import { integer, meaning, orNull, textOf, withDefault } from '#kit/json-fields'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for reviews. */
export const reviews = defineRuleType({
  name: 'reviews',
  kind: 'earn_points',
  help: 'A reward for each review that a service for reviews reports.',
  keys: () => ({
    provider: meaning('The service that has to report it; empty for any', withDefault(textOf(50), '')),
    limit: meaning('For how many reviews of a customer; null for all', withDefault(orNull(integer(1, 10_000)), 1))
  }),
  counts: {
    mode: 'each',
    limit: ({ limit }) => limit,
    amounts: {
      review: (rules, { provider, isDeleted }) => {
        const isMeant = rules.provider === '' || rules.provider.toLowerCase() === provider.toLowerCase()
        return isMeant && !isDeleted ? 1 : 0
      }
    }
  },
  rewards: FIXED_REWARDS,
  required: ({ limit }) => limit,
  example: { rules: { limit: 5 }, reward_rules: { reward_type: 'points', amount: 100 } },
  sentence: (_, { reward }) => `Write a review and get ${reward}`
})
