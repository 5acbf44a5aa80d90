import {
  type DescribedKey,
  type Entry,
  entriesOf,
  entryOf,
  kindOf,
  objectOf,
  variantsOf
} from '../../../shared/forms/described-keys.ts'
import { ownField } from '../../../shared/forms/form-errors.ts'
import type { Rule, RuleType } from '../queries.ts'

/** A rule as it is edited. `reward_rules` holds the keys of every reward, so that nothing typed is lost when another one is looked at. */
export type RuleValues = {
  name: string
  description: string
  enabled: boolean
  start_date: string
  end_date: string
  rules: Record<string, unknown>
  reward_type: string
  reward_rules: Record<string, unknown>
  /** '' for nothing; only of rules that reward two people. */
  friend_type: string
  friend: Record<string, unknown>
}

/** The key whose value is another reward. */
const FRIEND = 'referred_reward'
const COMMON = ['customer_settings.', 'product_ids', 'collection_ids', 'tier_ids']

const isCommon = ({ key }: DescribedKey) => COMMON.some((name) => key.startsWith(name))

/** The keys of a type: its own ones, those of all types, and what may be given to a friend. */
export function keysOf({ rules }: RuleType) {
  const friend = rules.find(({ key }) => key === FRIEND)
  return {
    own: rules.filter((key) => !isCommon(key) && key !== friend),
    common: rules.filter(isCommon),
    friend: friend ? variantsOf(friend, 'reward_type') : null
  }
}

export function valuesOf(type: RuleType, rule: Rule | null, today: string): RuleValues {
  const { own, common, friend } = keysOf(type)
  const rules = (rule?.rules ?? startOf(own, type.example.rules)) as Record<string, unknown>
  const reward = (rule?.reward_rules ?? {}) as Record<string, unknown>
  const friendReward = (rules[FRIEND] ?? null) as Record<string, unknown> | null
  const rewardType = String(reward.reward_type ?? (type.example.reward_rules as Record<string, unknown>).reward_type)
  const start = rule ? reward : startOf(rewardKeys(type, rewardType), type.example.reward_rules)
  return {
    name: rule?.name ?? '',
    description: rule?.description ?? '',
    enabled: rule?.enabled ?? true,
    start_date: rule?.start_date ?? today,
    end_date: rule?.end_date ?? '',
    rules: entriesOf([...own, ...common], rules),
    reward_type: rewardType,
    reward_rules: allEntries(
      type.rewards.map(({ keys }) => keys),
      start
    ),
    friend_type: String(friendReward?.reward_type ?? ''),
    friend: allEntries(Object.values(friend ?? {}), friendReward ?? {})
  }
}

export const rewardKeys = (type: RuleType, rewardType: string): DescribedKey[] =>
  type.rewards.find(({ reward_type }) => reward_type === rewardType)?.keys ?? []

/** What a new rule begins with: the numbers and choices of the example, and no names or ids, which are nobody's. */
function startOf(keys: readonly DescribedKey[], example: object): Record<string, unknown> {
  const values = example as Record<string, unknown>
  const kept = keys.filter((key) => values[key.key] !== undefined && ['number', 'word', 'flag'].includes(kindOf(key)))
  return Object.fromEntries(kept.map(({ key }) => [key, values[key]]))
}

function allEntries(lists: DescribedKey[][], value: Record<string, unknown>): Record<string, Entry> {
  const entries = lists.flat().map((key) => [key.key, entryOf(key, value[key.key])] as const)
  // Of keys with one name the first that has a value counts.
  return Object.fromEntries(entries.toReversed().toSorted((a, b) => Number(a[1] !== '') - Number(b[1] !== '')))
}

/** What is sent, besides the type. */
export function ruleBody(type: RuleType, values: RuleValues) {
  const { own, common, friend } = keysOf(type)
  const friendKeys = friend?.[values.friend_type]
  const friendReward = friendKeys ? { reward_type: values.friend_type, ...objectOf(friendKeys, values.friend) } : null
  const rules = { ...objectOf([...own, ...common], values.rules), ...(friend && { [FRIEND]: friendReward }) }
  const reward = {
    reward_type: values.reward_type,
    ...objectOf(rewardKeys(type, values.reward_type), values.reward_rules)
  }
  return {
    name: values.name,
    description: values.description,
    enabled: values.enabled,
    rules: rules as unknown as Record<string, never>,
    reward_rules: reward as unknown as Record<string, never>,
    ...(values.start_date && { start_date: values.start_date }),
    end_date: values.end_date || null
  }
}

/** The field of the form that a path of the API is. */
export function ruleField(type: RuleType, path: string): string | null {
  if (path === 'reward_rules.reward_type') return 'reward_type'
  const inFriend = `rules.${FRIEND}.`
  if (path.startsWith(inFriend)) {
    const name = path.slice(inFriend.length)
    return name === 'reward_type' ? 'friend_type' : `friend.${name}`
  }
  const names = ['name', 'description', 'start_date', 'end_date', 'enabled']
  const rules = type.rules.map(({ key }) => `rules.${key}`)
  const rewards = type.rewards.flatMap(({ keys }) => keys.map(({ key }) => `reward_rules.${key}`))
  return ownField(path, [...names, ...rules, ...rewards])
}
