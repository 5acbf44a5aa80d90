import { Type } from 'typebox'
import { loyaltyRuleNotFound } from '#loyalty'

/** Names a rule in a path. */
export const RuleParams = Type.Object({
  rule_id: Type.String({ description: 'the id of a loyalty rule', examples: ['12'] })
})

/** The id that a path names. Refuses a text that cannot be one as unknown. */
export function ruleIdOf({ rule_id: given }: { rule_id: string }): number {
  if (!/^[1-9]\d{0,14}$/.test(given)) throw loyaltyRuleNotFound(given)
  return Number(given)
}
