import { integer, listOf, meaning, orNull, textOf, trueOrFalse, withDefault } from '#kit/json-fields'
import { PER_UNIT_REWARDS } from '../../rewards/reward.ts'
import { counted } from '../../words.ts'
import { pointsPerDollar } from '../points-per-dollar.ts'
import { defineRuleType } from '../rule-type.ts'

/** Points for purchases elsewhere, by their receipts. */
export const uploadReceipt = defineRuleType({
  name: 'upload_receipt',
  kind: 'earn_points',
  help: 'Points for each unit of the currency on a receipt that the customer uploads and an operator approves. Rounded down.',
  keys: () => ({
    points_per_dollar: pointsPerDollar(),
    max_points: meaning(
      'How many points a receipt gives at most; null for no limit',
      withDefault(orNull(integer(1, 1_000_000_000)), null)
    ),
    auto_approve: meaning('Receipts are approved at once; this needs `max_points`', withDefault(trueOrFalse(), false)),
    accepted_retailers: meaning('Of which shops; none for any', withDefault(listOf(textOf(255, 1), 100), []))
  }),
  refuse: ({ auto_approve, max_points }) =>
    auto_approve && max_points === null
      ? [{ field: 'max_points', message: 'must be a number where auto_approve is true: nobody looks at the receipt' }]
      : [],
  counts: { mode: 'each', limit: () => null, amounts: { receipt: (_, { amountMinor }) => amountMinor } },
  rewards: PER_UNIT_REWARDS,
  required: () => null,
  example: { rules: { points_per_dollar: 1, max_points: 500 }, reward_rules: { reward_type: 'points' } },
  sentence: ({ points_per_dollar, max_points }, { money }) =>
    `Upload a receipt and get ${counted(points_per_dollar, 'point')} for each ${money.unit}${max_points === null ? '' : `, at most ${counted(max_points, 'point')}`}`
})
