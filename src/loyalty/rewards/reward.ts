import {
  type JsonField,
  type Money,
  type ObjectField,
  objectOf,
  type ValueOf,
  variants,
  withRule
} from '#kit/json-fields'
import { madeOnce } from '../made-once.ts'
import { pointsPerUnit } from './points-per-unit.ts'
import type { RewardType } from './reward-type.ts'
import * as rewardTypeList from './reward-type-list.ts'

type Listed = (typeof rewardTypeList)[keyof typeof rewardTypeList]
type ValueFor<T> = T extends RewardType<infer N, infer S> ? { type: N } & ValueOf<ObjectField<S>> : never

/** A reward: what `reward_rules` holds, with its `reward_type` as `type`. */
export type Reward = ValueFor<Listed> | ValueFor<typeof pointsPerUnit>

/** What a rule may give: rewards of a fixed size, or points for each unit of money. */
export const FIXED_REWARDS = Object.values(rewardTypeList) as unknown as readonly RewardType[]
export const PER_UNIT_REWARDS = [pointsPerUnit] as unknown as readonly RewardType[]

/** Those that a person can be given who has no subscription. */
export const REWARDS_FOR_ANYONE = FIXED_REWARDS.filter(({ name }) => !name.startsWith('subscription_'))

const fieldOf = madeOnce((types: readonly RewardType[]) => madeOnce((money: Money) => makeField(types, money)))

/** `reward_rules` of one of these kinds. */
export const rewardField = (types: readonly RewardType[], money: Money): JsonField<Reward> => fieldOf(types)(money)

function makeField(types: readonly RewardType[], money: Money): JsonField<Reward> {
  const objects = Object.fromEntries(
    types.map((type) => [
      type.name,
      withRule(objectOf(type.keys(money)), (reward) => type.refuse(reward as never, money))
    ])
  )
  return variants('reward_type', objects) as unknown as JsonField<Reward>
}

/** What comes after "get" in a sentence. */
export function rewardWords(types: readonly RewardType[], reward: Reward, money: Money): string {
  const type = types.find(({ name }) => name === reward.type)
  if (!type) throw new Error(`There is no kind of reward ${reward.type}`)
  return type.words(reward as never, money)
}
