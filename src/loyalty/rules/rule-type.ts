import { type Money, type ObjectField, type ObjectShape, type ObjectValue, objectOf, withRule } from '#kit/json-fields'
import type { Counting } from '../causes/cause.ts'
import { madeOnce } from '../made-once.ts'
import type { RewardType } from '../rewards/reward-type.ts'
import { COMMON_KEYS } from './common-keys.ts'

/** The word of `svc_loyalty_rules.type` for a rule. */
export const RULE_KINDS = ['earn_points', 'referral', 'birthday'] as const
export type RuleKind = (typeof RULE_KINDS)[number]

type Values<S extends ObjectShape> = ObjectValue<S & typeof COMMON_KEYS>

type Declared<N extends string, S extends ObjectShape> = {
  /** `type` of the Loyalty API (spec 2, Loyalty rule). */
  name: N
  kind: RuleKind
  /** For what it rewards, in a sentence: for the docs. */
  help: string
  /** The keys of its `rules` beside the common ones. */
  keys: (money: Money) => S
  /** What is wrong with the keys together, by key; none where all is well. */
  refuse?: (rules: Values<S>) => { field: string; message: string }[]
  /** Which rewards it may give. */
  rewards: readonly RewardType[]
  /** What it counts, and when that gives the reward. */
  counts: Counting<Values<S>>
  /** What `completion_progress` needs: 1 of what is done once, a count, whole units of money. Null: it is never complete. */
  required: (rules: Values<S>, money: Money) => number | null
  /** What an operator may enter: for the docs. */
  example: { rules: object; reward_rules: object }
  /** What to do and what it gives, in a sentence without its full stop. `reward`: what comes after "get". */
  sentence: (rules: Values<S>, says: { reward: string; money: Money }) => string
}

/** A type of rules. What its rules hold is known to the type alone; see `LoyaltyRule`. */
export type RuleType<N extends string = string> = Omit<Declared<N, ObjectShape>, 'keys' | 'refuse'> & {
  /** Its `rules`: its own keys first, then the common ones. */
  field: (money: Money) => ObjectField<ObjectShape>
}

/** Declares a type of rules, in a folder of its own; a line in `rule-type-list.ts` adds it. */
export function defineRuleType<const N extends string, S extends ObjectShape>(declared: Declared<N, S>): RuleType<N> {
  const { keys, refuse = () => [], ...type } = declared
  const field = madeOnce((money: Money) => withRule(objectOf({ ...keys(money), ...COMMON_KEYS }), refuse as never))
  return { ...type, field } as unknown as RuleType<N>
}
