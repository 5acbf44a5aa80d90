import {
  amountNumber,
  flag,
  idText,
  integer,
  listOf,
  meaning,
  objectOf,
  orNull,
  textOf,
  utcInstant,
  type ValueOf,
  word
} from '#kit/json-fields'
import { type LoyaltyTemplate, templateRulesJson } from './template.ts'
import { codePrefixField, TEMPLATE_TYPES } from './template-fields.ts'

/** As many as the metafield of the shop lists. */
export const MAX_TEMPLATES = 200

const rules = objectOf({
  amount: meaning('The percentage or the amount', amountNumber()),
  applies_to: meaning('What it applies to', word('all', 'products', 'collections')),
  product_ids: meaning('Numbers of the products', listOf(idText(), 100)),
  collection_ids: meaning('Numbers of the collections', listOf(idText(), 100)),
  minimum_subtotal: meaning('What the cart has to reach', orNull(amountNumber())),
  expires_after_days: meaning('How long a coupon can be used', orNull(integer(1, 3660)))
})

/** The templates as the metafield of the shop has them (spec 3, svc_loyalty_coupons). */
export const loyaltyTemplatesField = listOf(
  objectOf({
    id: meaning('Its id', integer(1, Number.MAX_SAFE_INTEGER)),
    name: meaning('Its name', textOf(255, 1)),
    type: meaning('What the coupon takes off', word(...TEMPLATE_TYPES)),
    rules,
    required_points: meaning('Its price in points', integer(1, 1_000_000_000)),
    discount_code_prefix: meaning('How its codes begin', codePrefixField()),
    enabled: meaning('Whether it can be bought', flag()),
    starts_at: meaning('From when on', orNull(utcInstant())),
    ends_at: meaning('Until when', orNull(utcInstant()))
  }),
  MAX_TEMPLATES
)

/** What the metafield of the shop says of the templates. */
export const loyaltyTemplatesOf = (templates: LoyaltyTemplate[]): ValueOf<typeof loyaltyTemplatesField> =>
  templates.map((template) => ({
    id: template.id,
    name: template.name,
    type: template.type,
    rules: templateRulesJson(template) as ValueOf<typeof rules>,
    required_points: template.requiredPoints,
    discount_code_prefix: template.codePrefix,
    enabled: template.isEnabled,
    starts_at: template.startsAt,
    ends_at: template.endsAt
  }))
