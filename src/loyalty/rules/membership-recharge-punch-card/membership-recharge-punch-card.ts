import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { isRenewal } from '../is-renewal.ts'
import { requiredRecharges, timesWords } from '../required-recharges.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for renewals of the membership. */
export const membershipRechargePunchCard = defineRuleType({
  name: 'membership_recharge_punch_card',
  kind: 'earn_points',
  help: 'A reward for a number of paid renewals of a membership.',
  keys: () => ({ required_recharges: requiredRecharges() }),
  counts: {
    mode: 'sum',
    goal: ({ required_recharges }) => required_recharges,
    repeats: () => false,
    amounts: { order: (_, order) => (isRenewal(order, ({ isMembership }) => isMembership) ? 1 : 0) }
  },
  rewards: FIXED_REWARDS,
  required: ({ required_recharges }) => required_recharges,
  example: {
    rules: { required_recharges: 3 },
    reward_rules: { reward_type: 'free_product', product_id: '7064055069370' }
  },
  sentence: ({ required_recharges }, { reward }) =>
    `Renew your membership ${timesWords(required_recharges)} and get ${reward}`
})
