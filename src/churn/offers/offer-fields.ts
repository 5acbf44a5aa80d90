import {
  type DescribedKey,
  describeKeys,
  integer,
  type JsonField,
  type Money,
  meaning,
  moneyOf,
  type ObjectShape,
  objectOf,
  orNull,
  positiveDecimal,
  type ValueOf,
  withDefault,
  withRule,
  word
} from '#kit/json-fields'

export const OFFER_TYPES = ['discount_price', 'change_frequency', 'add_store_credits'] as const
export type OfferType = (typeof OFFER_TYPES)[number]
export const OFFER_INTERVALS = ['day', 'week', 'month', 'year'] as const
export const OFFER_TARGETS = ['LINE_ITEM', 'SHIPPING_LINE'] as const
/** How often an interval is billed at most, as for plans. */
const MAX_INTERVALS = 28

/** `rules` of a discount (spec 2, offer). The platform takes off whole percentages, and amounts of the contract's currency. */
const discountRules = (money: Money) =>
  withRule(
    objectOf({
      discount_type: meaning('What is taken off each cycle', word('percentage', 'fixed_amount')),
      discount_value: meaning(
        'A whole percentage from 1 to 100, or an amount in the currency of the shop',
        positiveDecimal({ to: 1_000_000_000, decimals: 3 })
      ),
      recurring_cycle_limit: meaning(
        'For how many cycles; null for all that follow',
        withDefault(orNull(integer(1, 1000)), null)
      )
    }),
    ({ discount_type, discount_value }) => {
      const isWhole = Number.isInteger(discount_value) && discount_value <= 100
      if (discount_type === 'percentage') {
        const message = 'must be a whole number from 1 to 100, since discount_type is percentage'
        return isWhole ? [] : [{ field: 'discount_value', message }]
      }
      const message = 'must be an amount with no more decimals than the currency of the shop has'
      return money.minor(discount_value) === null ? [{ field: 'discount_value', message }] : []
    }
  )

const frequencyRules = () =>
  objectOf({
    interval_count: meaning('How many intervals are between two charges', integer(1, MAX_INTERVALS)),
    interval_name: meaning('Which interval', word(...OFFER_INTERVALS))
  })

const creditRules = (money: Money) =>
  objectOf({ credit_amount: meaning('The store credit that is added', money.amountAboveZero()) })

/** What `rules` are for each type of offer (spec 2, offer). */
const offerRulesFields = (money: Money) => ({
  discount_price: discountRules(money),
  change_frequency: frequencyRules(),
  add_store_credits: creditRules(money)
})

type Fields = ReturnType<typeof offerRulesFields>
export type OfferRules = { [Type in OfferType]: { type: Type; rules: ValueOf<Fields[Type]> } }[OfferType]

/** The field of a type, whose value depends on it. */
export const offerRulesField = (type: OfferType, money: Money) =>
  offerRulesFields(money)[type] as JsonField<OfferRules['rules']>

const HELP: Record<OfferType, { help: string; example: object }> = {
  discount_price: {
    help: 'A discount on each cycle, for some cycles or for all that follow.',
    example: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 3 }
  },
  change_frequency: {
    help: 'Another time between two charges. The next charge stays where it is, and those after it follow.',
    example: { interval_count: 2, interval_name: 'month' }
  },
  add_store_credits: {
    help: 'Store credit, which is there at once.',
    example: { credit_amount: 10 }
  }
}

/** Each type of offers with the keys of its `rules`, for documents. */
export function describeOfferTypes(): { type: OfferType; help: string; keys: DescribedKey[]; example: object }[] {
  const fields = offerRulesFields(moneyOf(null))
  return OFFER_TYPES.map((type) => {
    const { shape } = fields[type] as { shape: ObjectShape }
    return { type, ...HELP[type], keys: describeKeys(shape) }
  })
}
