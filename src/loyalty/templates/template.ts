import { activityBetween } from '#kit/clock'
import { type Money, moneyOf, readStored } from '#kit/json-fields'
import { bool, instant, int, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import { TEMPLATE_TYPES, type TemplateRules, templateRulesField } from './template-fields.ts'

export const TemplateRow = row({
  id: int,
  name: text,
  type: oneOf(...TEMPLATE_TYPES),
  rules: json<unknown>(),
  requiredPoints: int,
  codePrefix: text,
  isEnabled: bool,
  startsAt: nullable(instant),
  endsAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})

/** A coupon that points can buy. */
export type LoyaltyTemplate = Omit<RowOf<typeof TemplateRow>, 'rules'> & {
  rules: TemplateRules
  /** Enabled, and within its dates by the store's clock. */
  isActive: boolean
  money: Money
}

export function templateOfRow(
  { rules, ...rest }: RowOf<typeof TemplateRow>,
  { now, currency }: { now: Temporal.Instant; currency: string }
): LoyaltyTemplate {
  const money = moneyOf(currency)
  return {
    ...rest,
    rules: readStored(templateRulesField(rest.type, money), rules, `rules of ${rest.id}`),
    isActive: activityBetween(rest, now).isActive,
    money
  }
}

/** `rules` as JSON. */
export const templateRulesJson = ({ type, rules, money }: Pick<LoyaltyTemplate, 'type' | 'rules' | 'money'>) =>
  templateRulesField(type, money).write(rules) as Record<string, unknown>
