import { minorOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { inProportion, sumOf } from '../amounts.ts'
import type { Shop } from '../shop.ts'
import { findCollections } from '../state/collections.ts'
import type { Customer } from '../state/customers.ts'
import {
  classOf,
  type Discount,
  type DiscountBody,
  findDiscountByCode,
  useDiscount,
  usesByCustomer
} from '../state/discounts.ts'
import { type Goods, priceOf, type Reduction } from './cart-totals.ts'

type Cart = { goods: Goods[]; reductions: Reduction[]; shippingMinor: number }

/**
 * Uses each code once and returns what it takes from the cart, after what `cart.reductions` take already: codes for products
 * first, then those for the whole order, then those for shipping. Refused if a code does not apply, or not with another. A preview
 * uses nothing up.
 */
export async function redeemCodes(
  q: Queries,
  shop: Shop,
  customer: Customer,
  codes: string[],
  cart: Cart & { isPreview: boolean },
  now: Temporal.Instant
): Promise<Reduction[]> {
  const found: Discount[] = []
  for (const code of codes) {
    const discount = await findDiscountByCode(q, shop.storeId, code)
    if (!discount) throw new Refusal('not_found', `There is no coupon ${code}`)
    if (found.some(({ id }) => id === discount.id)) throw new Refusal('conflict', `The coupon ${code} is given twice`)
    found.push(discount)
  }
  refuseUncombinable(found)
  const order = ['PRODUCT', 'ORDER', 'SHIPPING']
  found.sort((a, b) => order.indexOf(classOf(a)) - order.indexOf(classOf(b)))
  const reductions = [...cart.reductions]
  for (const discount of found) {
    reductions.push(await redeem(q, shop, customer, discount, { ...cart, reductions }, now))
  }
  return reductions
}

const COMBINES = { PRODUCT: 'productDiscounts', ORDER: 'orderDiscounts', SHIPPING: 'shippingDiscounts' } as const

function refuseUncombinable(discounts: Discount[]): void {
  for (const a of discounts) {
    for (const b of discounts) {
      if (a === b || a.body.combinesWith?.[COMBINES[classOf(b)]]) continue
      throw new Refusal('conflict', `The coupon ${a.code} cannot be combined with ${b.code}`)
    }
  }
}

async function redeem(
  q: Queries,
  shop: Shop,
  customer: Customer,
  discount: Discount,
  cart: Cart & { isPreview: boolean },
  now: Temporal.Instant
): Promise<Reduction> {
  const no = (reason: string) => new Refusal('conflict', `The coupon ${discount.code} does not apply: ${reason}`)
  const { body, kind } = discount
  if (kind === 'DiscountCodeBxgy') throw no('this checkout does not know buy one, get one')
  const limit = body.usageLimit ?? null
  const usedUp = limit === 1 ? 'it has been used' : 'it is used up'
  // An app ends a code that was used: that it was used says more.
  if (limit !== null && discount.usageCount >= limit) throw no(usedUp)
  if (Temporal.Instant.compare(discount.startsAt, now) > 0) throw no('it has not started')
  if (discount.endsAt && Temporal.Instant.compare(discount.endsAt, now) <= 0) throw no('it has expired')
  const only = body.context?.customers?.add
  if (only && !only.some((id) => id.endsWith(`/${customer.id}`))) throw no('it belongs to another customer')
  const isEntitled = await entitled(q, shop, body)
  const lines = cart.goods.filter(isEntitled)
  if (lines.length === 0) throw no('it is for other products')
  const minimum = body.minimumRequirement?.subtotal?.greaterThanOrEqualToSubtotal
  if (minimum && sumOf(lines.map(priceOf)) < minorOf(minimum, shop.currency)) {
    throw no(`the order must come to ${minimum}`)
  }
  const atLeast = body.minimumRequirement?.quantity?.greaterThanOrEqualToQuantity
  if (atLeast && sumOf(lines.map(({ quantity }) => quantity)) < Number(atLeast)) {
    throw no(`it needs ${atLeast} of the products`)
  }
  if (body.appliesOncePerCustomer && (await usesByCustomer(q, shop.storeId, customer.id, discount.code!)) > 0) {
    throw no('the customer has used it')
  }
  const isLeft = cart.isPreview
    ? limit === null || discount.usageCount < limit
    : await useDiscount(q, shop.storeId, discount.id, limit)
  if (!isLeft) throw no(usedUp)

  const { percentage, discountAmount } = body.customerGets?.value ?? {}
  const common = {
    code: discount.code,
    title: discount.title,
    percentage: kind === 'DiscountCodeFreeShipping' ? 100 : percentage === undefined ? null : toPercent(percentage)
  }
  if (kind === 'DiscountCodeFreeShipping') {
    const taken = sumOf(cart.reductions.map(({ shippingMinor }) => shippingMinor))
    return { ...common, target: 'SHIPPING_LINE', perLine: [], shippingMinor: cart.shippingMinor - taken }
  }
  const left = cart.goods.map((line, i) =>
    isEntitled(line) ? priceOf(line) - sumOf(cart.reductions.map(({ perLine }) => perLine[i] ?? 0)) : 0
  )
  const fixedMinor = minorOf(discountAmount?.amount ?? '0', shop.currency)
  const isPerItem = percentage === undefined && discountAmount?.appliesOnEachItem === true
  const perLine = isPerItem
    ? cart.goods.map((line, i) => Math.min(left[i]!, fixedMinor * line.quantity))
    : inProportion(
        percentage === undefined ? Math.min(sumOf(left), fixedMinor) : Math.round(sumOf(left) * percentage),
        left
      )
  return { ...common, isPerItem, isForSome: lines.length < cart.goods.length, perLine, shippingMinor: 0 }
}

const toPercent = (share: number): number => Math.round(share * 10_000) / 100

/** Which lines of a cart a discount is for. */
async function entitled(q: Queries, { storeId }: Shop, { customerGets }: DiscountBody) {
  if (customerGets?.appliesOnOneTimePurchase === false) return ({ sellingPlanId }: Goods) => sellingPlanId !== null
  const { products, collections } = customerGets?.items ?? {}
  if (!products && !collections) return () => true
  const numbers = (ids: string[] = []) => ids.map((id) => id.split('/').at(-1)!)
  const inCollections = await findCollections(q, storeId, numbers(collections?.add))
  const productIds = new Set([
    ...numbers(products?.productsToAdd),
    ...inCollections.flatMap(({ productIds: ids }) => ids)
  ])
  const variantIds = new Set(numbers(products?.productVariantsToAdd))
  return ({ productId, variantId }: Goods) =>
    (productId !== null && productIds.has(productId)) || (variantId !== null && variantIds.has(variantId))
}
