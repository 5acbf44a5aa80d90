import { minorOf, sumOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { inProportion } from '../amounts.ts'
import { isMember } from '../segments/members.ts'
import type { Shop } from '../shop.ts'
import { findCollections } from '../state/collections.ts'
import type { Customer } from '../state/customers.ts'
import { type Discount, sortOf } from '../state/discounts/discounts.ts'
import { findSegments } from '../state/segments.ts'
import { type Goods, priceOf, type Reduction } from './cart-totals.ts'

/** A cart with what reduces it already. */
export type Sale = {
  goods: Goods[]
  reductions: Reduction[]
  shippingMinor: number
  /** Where it is shipped to. */
  country: string | null
}

const numbers = (ids: string[] | null | undefined): string[] => (ids ?? []).map((id) => id.split('/').at(-1)!)
const toPercent = (share: number): number => Math.round(share * 10_000) / 100

/** Whether a discount is for this customer: for everybody, for those of its list, or for members of its segments. */
export async function isFor(
  q: Queries,
  shop: Shop,
  customer: Customer | null,
  { body }: Pick<Discount, 'body'>,
  now: Temporal.Instant
): Promise<boolean> {
  const { customers, customerSegments } = body.context ?? {}
  if (customers?.add) return customer !== null && numbers(customers.add).includes(customer.id)
  if (!customerSegments?.add) return true
  if (customer === null) return false
  for (const { query } of await findSegments(q, shop.storeId, numbers(customerSegments.add))) {
    if (await isMember(q, shop, customer.id, query, now)) return true
  }
  return false
}

const COMBINES = { PRODUCT: 'productDiscounts', ORDER: 'orderDiscounts', SHIPPING: 'shippingDiscounts' } as const

/** Whether each of two discounts may go with the other. */
export function doCombine(a: Discount, b: Discount): boolean {
  const allows = (one: Discount, other: Discount) =>
    other.classes.every((found) => one.body.combinesWith?.[COMBINES[found]] === true)
  return allows(a, b) && allows(b, a)
}

const ORDER = ['PRODUCT', 'ORDER', 'SHIPPING'] as const

/** Discounts of products come first, then those of the whole order, then those of shipping. */
export const inOrder = (discounts: Discount[]): Discount[] =>
  discounts.toSorted((a, b) => ORDER.indexOf(a.classes[0] ?? 'ORDER') - ORDER.indexOf(b.classes[0] ?? 'ORDER'))

/** What a discount takes from a cart, or why it takes nothing. `isOpen`: the lines that it may reduce. */
export async function cutOf(
  q: Queries,
  shop: Shop,
  discount: Discount,
  sale: Sale,
  isOpen: (line: number) => boolean = () => true
): Promise<{ reduction: Omit<Reduction, 'code' | 'title'> } | { reason: string }> {
  const { body } = discount
  const sort = sortOf(discount)
  if (sort === 'Bxgy') return { reason: 'this checkout does not know buy one, get one' }
  if (sort === 'App') return { reason: 'its function is run by the checkout itself' }
  const isEntitled = await entitled(q, shop, discount)
  const lines = sale.goods.filter((line, i) => isEntitled(line) && isOpen(i))
  if (lines.length === 0) return { reason: 'it is for other products' }
  const minimum = body.minimumRequirement?.subtotal?.greaterThanOrEqualToSubtotal
  if (minimum && sumOf(lines.map(priceOf)) < minorOf(minimum, shop.currency)) {
    return { reason: `the order must come to ${minimum}` }
  }
  const atLeast = body.minimumRequirement?.quantity?.greaterThanOrEqualToQuantity
  if (atLeast && sumOf(lines.map(({ quantity }) => quantity)) < Number(atLeast)) {
    return { reason: `it needs ${atLeast} of the products` }
  }
  if (sort === 'FreeShipping') return shippingCut(shop, discount, sale)

  const { percentage, discountAmount } = body.customerGets?.value ?? {}
  const left = sale.goods.map((line, i) =>
    isEntitled(line) && isOpen(i) ? priceOf(line) - sumOf(sale.reductions.map(({ perLine }) => perLine[i] ?? 0)) : 0
  )
  const fixedMinor = minorOf(discountAmount?.amount ?? '0', shop.currency)
  const isPerItem = percentage == null && discountAmount?.appliesOnEachItem === true
  const perLine = isPerItem
    ? sale.goods.map((line, i) => Math.min(left[i]!, fixedMinor * line.quantity))
    : inProportion(percentage == null ? Math.min(sumOf(left), fixedMinor) : Math.round(sumOf(left) * percentage), left)
  const isForSome = lines.length < sale.goods.length
  return {
    reduction: {
      percentage: percentage == null ? null : toPercent(percentage),
      isPerItem,
      isForSome,
      perLine,
      shippingMinor: 0
    }
  }
}

function shippingCut(shop: Shop, { body }: Discount, sale: Sale) {
  const { countries } = body.destination ?? {}
  if (countries && sale.country !== null && !countries.add?.includes(sale.country) && !countries.includeRestOfWorld) {
    return { reason: 'it is for other countries' }
  }
  const most = body.maximumShippingPrice
  if (most && sale.shippingMinor > minorOf(most, shop.currency)) {
    return { reason: `the shipping must cost ${most} at most` }
  }
  const taken = sumOf(sale.reductions.map(({ shippingMinor }) => shippingMinor))
  const target = 'SHIPPING_LINE' as const
  return { reduction: { target, percentage: 100, perLine: [], shippingMinor: sale.shippingMinor - taken } }
}

/** Which lines of a cart a discount is for: goods that are bought once, unless it says that it is for subscriptions. */
async function entitled(q: Queries, { storeId }: Shop, discount: Discount) {
  const { body } = discount
  const flags = sortOf(discount) === 'FreeShipping' ? body : (body.customerGets ?? {})
  const isSort = ({ sellingPlanId }: Goods): boolean =>
    sellingPlanId === null ? flags.appliesOnOneTimePurchase !== false : flags.appliesOnSubscription === true
  const { products, collections } = body.customerGets?.items ?? {}
  if (!products && !collections) return isSort
  const inCollections = await findCollections(q, storeId, numbers(collections?.add))
  const productIds = new Set([
    ...numbers(products?.productsToAdd),
    ...inCollections.flatMap(({ productIds: ids }) => ids)
  ])
  const variantIds = new Set(numbers(products?.productVariantsToAdd))
  return (line: Goods) =>
    isSort(line) &&
    ((line.productId !== null && productIds.has(line.productId)) ||
      (line.variantId !== null && variantIds.has(line.variantId)))
}
