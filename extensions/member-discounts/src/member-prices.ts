import { priceCart } from '../../../src/plans/pricing/index.ts'
import type { FunctionInput } from './input.ts'
import { decimalOf } from './money.ts'
import { readCart } from './read-cart.ts'

type Candidate = {
  message: string
  targets: { cartLine: { id: string } }[]
  value: { fixedAmount: { amount: string; appliesToEachItem: boolean } }
}

export type PricesResult = {
  operations: { productDiscountsAdd: { candidates: Candidate[]; selectionStrategy: 'ALL' } }[]
}

/**
 * What members have off each line of their cart: the member price of all pieces and the welcome offer of one come as one amount, since a
 * line gets one candidate only.
 */
export function memberPrices(input: FunctionInput): PricesResult {
  const read = input.discount.discountClasses.includes('PRODUCT') ? readCart(input) : null
  if (!read) return { operations: [] }
  const price = priceCart({ ...read.cart, country: null, shipping: null }, read.context)
  const candidates = price.lines.flatMap(({ id, discountMinor }): Candidate[] =>
    discountMinor === 0
      ? []
      : [
          {
            message: price.label!,
            targets: [{ cartLine: { id } }],
            value: { fixedAmount: { amount: decimalOf(discountMinor, read.decimals), appliesToEachItem: false } }
          }
        ]
  )
  if (candidates.length === 0) return { operations: [] }
  return { operations: [{ productDiscountsAdd: { candidates, selectionStrategy: 'ALL' } }] }
}
