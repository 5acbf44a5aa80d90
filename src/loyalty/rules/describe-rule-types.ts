import { type DescribedKey, describeKeys, moneyOf, readStored } from '#kit/json-fields'
import { rewardField } from '../rewards/reward.ts'
import { COMMON_KEYS } from './common-keys.ts'
import { ruleSentence } from './rule.ts'
import type { RuleType } from './rule-type.ts'
import { RULE_TYPES } from './rule-types.ts'

/** A type of rules in words. `sentence` is that of the example, in dollars. */
export type DescribedRuleType = {
  type: string
  kind: string
  help: string
  /** Its own keys; the common ones are `commonRuleKeys`. */
  keys: DescribedKey[]
  rewards: { rewardType: string; help: string; keys: DescribedKey[] }[]
  example: { rules: object; reward_rules: object }
  sentence: string
}

/** Every type of rules with its keys, for documents and for the command line. */
export const describeRuleTypes = (types: readonly RuleType[] = RULE_TYPES): DescribedRuleType[] => types.map(describe)

/** The keys that all of them have. */
export const commonRuleKeys = (): DescribedKey[] => describeKeys(COMMON_KEYS)

function describe(type: RuleType): DescribedRuleType {
  const money = moneyOf(null)
  const { name, kind, help, example, rewards } = type
  const own = Object.entries(type.field(money).shape).filter(([key]) => !Object.hasOwn(COMMON_KEYS, key))
  return {
    type: name,
    kind,
    help,
    keys: describeKeys(Object.fromEntries(own)),
    rewards: rewards.map((reward) => ({
      rewardType: reward.name,
      help: reward.help,
      keys: describeKeys(reward.keys(money))
    })),
    example,
    sentence: ruleSentence({
      type,
      money,
      rules: readStored(type.field(money), example.rules, 'rules'),
      reward: readStored(rewardField(rewards, money), example.reward_rules, 'reward_rules')
    })
  }
}
