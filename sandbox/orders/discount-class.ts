import type { Discount } from '../state/discounts.ts'

export type DiscountClass = 'PRODUCT' | 'ORDER' | 'SHIPPING'

/** What a discount reduces, which decides what it combines with. */
export function classOf({ kind, body }: Pick<Discount, 'kind' | 'body'>): DiscountClass {
  if (kind === 'DiscountCodeFreeShipping') return 'SHIPPING'
  if (kind === 'DiscountCodeBxgy') return 'PRODUCT'
  const { items } = body.customerGets ?? {}
  return items?.products || items?.collections ? 'PRODUCT' : 'ORDER'
}
