import { integer, meaning, orNull, withDefault, word } from '#kit/json-fields'
import { isPurchase } from '../../causes/order-amounts.ts'
import { FIXED_REWARDS, REWARDS_FOR_ANYONE, rewardField, rewardWords } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for who brings a friend. */
export const referral = defineRuleType({
  name: 'referral',
  kind: 'referral',
  help: 'A reward for who brings a new customer by a link, and one for who comes by it.',
  keys: (money) => ({
    validation_strategy: meaning(
      'When it counts: with the first order of the friend, or at once',
      withDefault(word('none', 'first_order'), 'first_order')
    ),
    minimum_order: meaning('What that order has to cost at least', withDefault(money.amount(), 0)),
    limit: meaning('For how many friends of a customer; null for all', withDefault(orNull(integer(1, 10_000)), null)),
    expire_after: meaning(
      'Within how many days after the friend has ordered the order has to be paid; null for no limit',
      withDefault(orNull(integer(1, 3660)), null)
    ),
    referred_reward: meaning(
      'What the friend gets, with the keys of `reward_rules`; null for nothing',
      withDefault(orNull(rewardField(REWARDS_FOR_ANYONE, money)), null)
    )
  }),
  refuse: ({ validation_strategy, minimum_order }) =>
    validation_strategy === 'none' && minimum_order > 0
      ? [{ field: 'minimum_order', message: 'must be 0 where validation_strategy is none: no order is waited for' }]
      : [],
  counts: {
    mode: 'each',
    limit: ({ limit }) => limit,
    isHeld: true,
    amounts: {
      referral: (rules, { order, paidAfterDays }) => {
        if (order === null) return 0
        if (rules.validation_strategy === 'none') return 1
        const isInTime = rules.expire_after === null || paidAfterDays <= rules.expire_after
        return isInTime && isPurchase(order, rules, rules.minimum_order) ? 1 : 0
      }
    }
  },
  rewards: FIXED_REWARDS,
  required: ({ limit }) => limit,
  example: {
    rules: { referred_reward: { reward_type: 'discount', discount_type: 'percentage', discount_amount: 15 } },
    reward_rules: { reward_type: 'points', amount: 500 }
  },
  sentence: ({ referred_reward }, { reward, money }) => {
    const friend = referred_reward
      ? `; your friend gets ${rewardWords(REWARDS_FOR_ANYONE, referred_reward, money)}`
      : ''
    return `Refer a friend and get ${reward}${friend}`
  }
})
