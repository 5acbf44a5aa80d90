import { type Money, meaning, positiveDecimal, word } from '#kit/json-fields'

/** What a discount takes off: a percentage, or an amount in units of the currency. */
export type DiscountValue = { discount_type: 'percentage' | 'fixed_amount'; discount_amount: number }

export const discountKeys = () => ({
  discount_type: meaning('What it takes off: a percentage or an amount', word('percentage', 'fixed_amount')),
  discount_amount: meaning(
    'The percentage, above 0 to 100 with at most 2 decimals, or the amount in the currency of the shop',
    positiveDecimal({ to: 1_000_000_000, decimals: 3 })
  )
})

/** What is wrong with an amount by the type that it has; null where it fits. */
export function refuseDiscountAmount(type: DiscountValue['discount_type'], amount: number, money: Money) {
  if (type === 'fixed_amount') {
    return money.minor(amount) === null ? 'must have no more decimals than the currency of the shop has' : null
  }
  return amount <= 100 && Number(amount.toFixed(2)) === amount
    ? null
    : 'must be a percentage above 0 to 100 with at most 2 decimals'
}

export function refuseDiscount({ discount_type, discount_amount }: DiscountValue, money: Money) {
  const message = refuseDiscountAmount(discount_type, discount_amount, money)
  return message === null ? [] : [{ field: 'discount_amount', message }]
}

/** "10% off" or "$5 off". */
export const discountWords = ({ discount_type, discount_amount }: DiscountValue, money: Money): string =>
  `${discount_type === 'percentage' ? `${discount_amount}%` : money.words(money.minor(discount_amount)!)} off`
