import { integer, meaning, trueOrFalse, withDefault } from '#kit/json-fields'
import { isPurchase } from '../../causes/order-amounts.ts'
import { FIXED_REWARDS } from '../../rewards/reward.ts'
import { defineRuleType } from '../rule-type.ts'

/** A reward for a number of purchases. */
export const punchCard = defineRuleType({
  name: 'punch_card',
  kind: 'earn_points',
  help: 'A reward for a number of purchases.',
  keys: ({ amount }) => ({
    required_purchases: meaning('How many purchases', integer(1, 1000)),
    minimum_order_amount: meaning('What a purchase has to cost at least to count', withDefault(amount(), 0)),
    resets: meaning('It begins anew when it is complete', withDefault(trueOrFalse(), false))
  }),
  counts: {
    mode: 'sum',
    goal: ({ required_purchases }) => required_purchases,
    repeats: ({ resets }) => resets,
    amounts: { order: (rules, order) => (isPurchase(order, rules, rules.minimum_order_amount) ? 1 : 0) }
  },
  rewards: FIXED_REWARDS,
  required: ({ required_purchases }) => required_purchases,
  example: {
    rules: { required_purchases: 5, minimum_order_amount: 20 },
    reward_rules: { reward_type: 'discount', discount_type: 'percentage', discount_amount: 10 }
  },
  sentence: ({ required_purchases, minimum_order_amount, resets }, { reward, money }) => {
    const what = required_purchases === 1 ? 'a purchase' : `${required_purchases} purchases`
    const each = required_purchases === 1 ? '' : ' each'
    const least = minimum_order_amount > 0 ? ` of at least ${money.words(minimum_order_amount)}${each}` : ''
    return `Make ${what}${least} and get ${reward}${resets ? ', every time' : ''}`
  }
})
