import { defineRewardType } from './reward-type.ts'

/** Points for each unit of money. `points_per_dollar` of the rule says how many, so that an amount here would say it twice. */
export const pointsPerUnit = defineRewardType({
  name: 'points',
  help: 'Points; `points_per_dollar` of the rule says how many.',
  keys: () => ({}),
  words: () => 'points'
})
