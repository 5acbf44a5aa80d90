import { moneyOf, type ObjectShape, readStored } from '#kit/json-fields'
import { rewardField } from '../rewards/reward.ts'
import { COMMON_KEYS } from './common-keys.ts'
import { ruleSentence } from './rule.ts'
import type { RuleType } from './rule-type.ts'
import { RULE_TYPES } from './rule-types.ts'

/** A key of `rules` or `reward_rules`. `default`: as JSON; null where it has to be given. */
export type DescribedKey = { key: string; accepts: string; meaning: string; default: string | null }

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
export const commonRuleKeys = (): DescribedKey[] => keysOf(COMMON_KEYS)

function describe(type: RuleType): DescribedRuleType {
  const money = moneyOf(null)
  const { name, kind, help, example, rewards } = type
  const own = Object.entries(type.field(money).shape).filter(([key]) => !Object.hasOwn(COMMON_KEYS, key))
  return {
    type: name,
    kind,
    help,
    keys: keysOf(Object.fromEntries(own)),
    rewards: rewards.map((reward) => ({
      rewardType: reward.name,
      help: reward.help,
      keys: keysOf(reward.keys(money))
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

/** The keys inside an object are listed for themselves, as `customer_settings.tags`. */
function keysOf(shape: ObjectShape, prefix = ''): DescribedKey[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    if ('shape' in field) return keysOf(field.shape as ObjectShape, `${prefix}${name}.`)
    const usual = field.otherwise && JSON.stringify(field.write(field.otherwise.value))
    return [{ key: prefix + name, accepts: field.accepts, meaning: field.meaning, default: usual ?? null }]
  })
}
