import { decimalOf } from '#kit/money'

/** What a coupon takes off: a share of the goods, in hundredths of a percent; an amount, once; or what shipping costs. */
export type CouponValue = { percentHundredths: number } | { amountMinor: number } | { isShipping: true }

/** The input of a value that is not of shipping. */
export const valueInput = (value: Exclude<CouponValue, { isShipping: true }>, currency: string) =>
  'amountMinor' in value
    ? { discountAmount: { amount: decimalOf(value.amountMinor, currency), appliesOnEachItem: false } }
    : { percentage: value.percentHundredths / 10_000 }
