import type { RuleType } from './rule-type.ts'
import * as ruleTypeList from './rule-type-list.ts'

export type RuleTypeName = (typeof ruleTypeList)[keyof typeof ruleTypeList]['name']

/** Every type of rules, by name. */
export const RULE_TYPES: readonly RuleType[] = Object.values<RuleType>(ruleTypeList).toSorted((a, b) =>
  a.name < b.name ? -1 : 1
)

export const RULE_TYPE_NAMES = RULE_TYPES.map(({ name }) => name) as RuleTypeName[]

/** The type that a row names. */
export function ruleTypeOf(name: string): RuleType {
  const found = RULE_TYPES.find((type) => type.name === name)
  if (!found) throw new Error(`There is no type of loyalty rules ${name}`)
  return found
}
