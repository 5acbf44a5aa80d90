import { meaning, withDefault } from '#kit/json-fields'
import { eligibleMinor } from '../../causes/order-amounts.ts'
import { PER_UNIT_REWARDS } from '../../rewards/reward.ts'
import { counted } from '../../words.ts'
import { pointsPerDollar } from '../points-per-dollar.ts'
import { defineRuleType } from '../rule-type.ts'

/** Points for each unit of money that is spent. */
export const pointsForPurchases = defineRuleType({
  name: 'points_for_purchases',
  kind: 'earn_points',
  help: 'Points for each unit of the currency that an order costs after discounts, without tax, shipping, gift cards, the fee of a membership and what store credit paid. Rounded down.',
  keys: ({ amount }) => ({
    points_per_dollar: pointsPerDollar(),
    minimum_order: meaning('What an order has to cost at least', withDefault(amount(), 0))
  }),
  counts: {
    mode: 'each',
    limit: () => null,
    amounts: {
      order: (rules, order) => {
        const eligible = eligibleMinor(order, rules)
        return eligible >= rules.minimum_order ? eligible : 0
      }
    }
  },
  rewards: PER_UNIT_REWARDS,
  required: () => null,
  example: { rules: { points_per_dollar: 2, minimum_order: 20 }, reward_rules: { reward_type: 'points' } },
  sentence: ({ points_per_dollar, minimum_order }, { money }) =>
    `Get ${counted(points_per_dollar, 'point')} for each ${money.unit} that you spend${minimum_order > 0 ? ` on an order of at least ${money.words(minimum_order)}` : ''}`
})
