import { idText, meaning, orNull, withDefault } from '#kit/json-fields'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { isRenewal } from '../is-renewal.ts'
import { requiredRecharges, timesWords } from '../required-recharges.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for renewals of a product subscription. */
export const productRechargePunchCard = defineRuleType({
  name: 'product_recharge_punch_card',
  kind: 'earn_points',
  help: 'A reward for a number of paid renewals of a product subscription.',
  keys: () => ({
    required_recharges: requiredRecharges(),
    plan_group_id: meaning(
      'The number of the group of selling plans at the platform that counts; null for any',
      withDefault(orNull(idText()), null)
    ),
    selling_plan_id: meaning(
      'The number of the selling plan at the platform that counts; null for any',
      withDefault(orNull(idText()), null)
    )
  }),
  counts: {
    mode: 'sum',
    goal: ({ required_recharges }) => required_recharges,
    repeats: () => false,
    amounts: {
      order: ({ plan_group_id, selling_plan_id }, order) =>
        isRenewal(
          order,
          ({ isMembership, planGroupId, sellingPlanId }) =>
            !isMembership &&
            (plan_group_id === null || plan_group_id === planGroupId) &&
            (selling_plan_id === null || selling_plan_id === sellingPlanId)
        )
          ? 1
          : 0
    }
  },
  rewards: FIXED_REWARDS,
  required: ({ required_recharges }) => required_recharges,
  example: {
    rules: { required_recharges: 6 },
    reward_rules: { reward_type: 'discount', discount_type: 'percentage', discount_amount: 20 }
  },
  sentence: ({ required_recharges }, { reward }) =>
    `Renew your subscription ${timesWords(required_recharges)} and get ${reward}`
})
