import {
  idText,
  integer,
  listOf,
  type Money,
  meaning,
  objectOf,
  orNull,
  positiveDecimal,
  textLike,
  type ValueOf,
  withDefault,
  withRule,
  word
} from '#kit/json-fields'
import { refuseDiscountAmount } from '../rewards/discount-value.ts'

export const TEMPLATE_TYPES = ['percentage', 'fixed_amount'] as const
export type TemplateType = (typeof TEMPLATE_TYPES)[number]

/** What a coupon takes off, and where. `amount` is a percentage, or in units of the currency; `minimum_subtotal` is in minor units. */
export const templateRulesField = (type: TemplateType, money: Money) =>
  withRule(
    objectOf({
      amount: meaning(
        'The percentage, above 0 to 100 with at most 2 decimals, or the amount in the currency of the shop',
        positiveDecimal({ to: 1_000_000_000, decimals: 3 })
      ),
      applies_to: meaning('What it applies to', withDefault(word('all', 'products', 'collections'), 'all')),
      product_ids: meaning('Numbers of the products', withDefault(listOf(idText(), 100), [])),
      collection_ids: meaning('Numbers of the collections', withDefault(listOf(idText(), 100), [])),
      minimum_subtotal: meaning(
        'What the cart has to reach; null for nothing',
        withDefault(orNull(money.amountAboveZero()), null)
      ),
      expires_after_days: meaning(
        'How many days a coupon can be used; null for ever',
        withDefault(orNull(integer(1, 3660)), null)
      )
    }),
    ({ amount, applies_to, product_ids, collection_ids }) => {
      const message = refuseDiscountAmount(type, amount, money)
      return [
        ...(message === null ? [] : [{ field: 'amount', message: `${message}, since type is ${type}` }]),
        ...refuseGoods('products', 'product_ids', applies_to, product_ids),
        ...refuseGoods('collections', 'collection_ids', applies_to, collection_ids)
      ]
    }
  )

export type TemplateRules = ValueOf<ReturnType<typeof templateRulesField>>

function refuseGoods(word: string, field: string, appliesTo: string, ids: string[]) {
  if (appliesTo === word && ids.length === 0) {
    return [{ field, message: `must hold at least one number where applies_to is ${word}` }]
  }
  return appliesTo !== word && ids.length > 0
    ? [{ field, message: `must be left out, or applies_to must be ${word}` }]
    : []
}

export const codePrefixField = () => textLike('at most 20 letters, digits, - or _', /^[\w-]{0,20}$/)
