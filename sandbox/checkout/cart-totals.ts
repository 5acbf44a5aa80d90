import { sumOf } from '#kit/money'
import type { OrderDiscount, OrderLine, ShippingLine, Tax } from '../state/orders.ts'

/** A line of a cart, before anything is taken from its price. */
export type Goods = Omit<OrderLine, 'id' | 'discountMinor' | 'taxMinor' | 'allocations'>

/** A discount with what it takes from each line, in the order of the lines, and from the shipping. */
export type Reduction = Omit<OrderDiscount, 'amountMinor'> & { perLine: number[]; shippingMinor: number }

export type CartTotals = {
  lines: Omit<OrderLine, 'id'>[]
  discounts: OrderDiscount[]
  shippingLine: Omit<ShippingLine, 'id'> | null
  taxMinor: number
  totalMinor: number
}

export const priceOf = ({ priceMinor, quantity }: Pick<OrderLine, 'priceMinor' | 'quantity'>) => priceMinor * quantity

/** What a cart costs: prices less discounts, plus shipping, plus tax on what is left of the taxable lines unless prices include it. */
export function cartTotals(cart: {
  goods: Goods[]
  reductions: Reduction[]
  shipping: { title: string; priceMinor: number } | null
  tax: Tax | null
}): CartTotals {
  const { reductions, shipping, tax } = cart
  const lines = cart.goods.map((line, i) => {
    const allocations = reductions
      .map(({ perLine }, index) => ({ index, amountMinor: perLine[i] ?? 0 }))
      .filter(({ amountMinor }) => amountMinor > 0)
    const discountMinor = sumOf(allocations.map(({ amountMinor }) => amountMinor))
    const taxMinor = tax && line.taxable ? taxOf(priceOf(line) - discountMinor, tax) : 0
    return { ...line, discountMinor, taxMinor, allocations }
  })
  const discounts = reductions.map(({ perLine, shippingMinor, ...discount }) => ({
    ...discount,
    amountMinor: sumOf(perLine) + shippingMinor
  }))
  const shippingLine = shipping && {
    ...shipping,
    discountMinor: sumOf(reductions.map(({ shippingMinor }) => shippingMinor))
  }
  const taxMinor = sumOf(lines.map((line) => line.taxMinor))
  const linesMinor = sumOf(lines.map((line) => priceOf(line) - line.discountMinor))
  const shippingMinor = shippingLine ? shippingLine.priceMinor - shippingLine.discountMinor : 0
  return {
    lines,
    discounts,
    shippingLine,
    taxMinor,
    totalMinor: linesMinor + shippingMinor + (tax?.isIncluded ? 0 : taxMinor)
  }
}

const taxOf = (minor: number, { percent, isIncluded }: Tax) =>
  Math.round((minor * percent) / (isIncluded ? 100 + percent : 100))
