import { anyObject, flag, integer, listOf, meaning, objectOf, textOf, type ValueOf, word } from '#kit/json-fields'
import { type LoyaltyRule, ruleSentence, rulesJson } from './rule.ts'
import { RULE_KINDS } from './rule-type.ts'

/** As many as the metafield of the shop lists. */
export const MAX_RULES = 200

/** The rules as the metafield of the shop has them (spec 3, svc_loyalty_rules). */
export const loyaltyRulesField = listOf(
  objectOf({
    id: meaning('Its id', integer(1, Number.MAX_SAFE_INTEGER)),
    name: meaning('Its name', textOf(255, 1)),
    type: meaning('Its kind', word(...RULE_KINDS)),
    rule_type: meaning('The type of the Loyalty API', textOf(50, 1)),
    rules: meaning('When it applies', anyObject()),
    enabled: meaning('1 while it is enabled and within its dates', flag()),
    reward_text: meaning('What to do and what it gives, in a sentence', textOf(1000))
  }),
  MAX_RULES
)

/** What the metafield of the shop says of the rules. */
export const loyaltyRulesOf = (rules: LoyaltyRule[]): ValueOf<typeof loyaltyRulesField> =>
  rules.map((rule) => ({
    id: rule.id,
    name: rule.name,
    type: rule.type.kind,
    rule_type: rule.type.name,
    rules: rulesJson(rule),
    enabled: rule.isActive,
    reward_text: ruleSentence(rule)
  }))
