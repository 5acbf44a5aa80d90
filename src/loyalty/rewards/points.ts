import { integer, meaning } from '#kit/json-fields'
import { counted } from '../words.ts'
import { defineRewardType } from './reward-type.ts'

/** Points of a fixed number. */
export const points = defineRewardType({
  name: 'points',
  help: 'Points.',
  keys: () => ({ amount: meaning('How many points', integer(1, 1_000_000_000)) }),
  words: ({ amount }) => counted(amount, 'point')
})
