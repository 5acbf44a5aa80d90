import { meaning, textLike, textOf } from '#kit/json-fields'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** How networks write their own names. */
const SPELLING: Record<string, string> = { tiktok: 'TikTok', youtube: 'YouTube', linkedin: 'LinkedIn' }

/** A reward for a visit of the shop's page in a social network. */
export const social = defineRuleType({
  name: 'social',
  kind: 'earn_points',
  help: "A reward for who visits the shop's page in a social network, once.",
  keys: () => ({
    platform: meaning('The network, such as instagram', textOf(50, 1)),
    url: meaning(
      'The page of the shop there',
      textLike(
        'an address that begins with https://, without a user name or password',
        /^https:\/\/[^\s<>"@/?#]+([/?#][^\s<>"]*)?$/,
        1000
      )
    )
  }),
  counts: { mode: 'each', limit: () => 1, amounts: { visit: () => 1 } },
  rewards: FIXED_REWARDS,
  required: () => 1,
  example: {
    rules: { platform: 'instagram', url: 'https://www.instagram.com/example' },
    reward_rules: { reward_type: 'points', amount: 50 }
  },
  sentence: ({ platform }, { reward }) => `Visit us on ${spelled(platform)} and get ${reward}`
})

const spelled = (platform: string) =>
  SPELLING[platform.toLowerCase()] ?? `${platform.slice(0, 1).toUpperCase()}${platform.slice(1)}`
