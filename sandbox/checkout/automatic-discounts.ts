import { sumOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import type { Shop } from '../shop.ts'
import type { Customer } from '../state/customers.ts'
import {
  type Discount,
  hasAutomaticDiscounts,
  listActiveAutomatic,
  sortOf,
  useDiscount
} from '../state/discounts/discounts.ts'
import { listFunctions } from '../state/discounts/functions.ts'
import type { Reduction } from './cart-totals.ts'
import { cutOf, doCombine, inOrder, isFor, type Sale } from './discount-cuts.ts'

/**
 * What the shop's automatic discounts take from a cart, in addition to its reductions. Of those that do not go with each other, or
 * with a code of the customer, the one that takes most applies; a line is reduced by one discount of products. A preview counts
 * no use.
 */
export async function automaticReductions(
  q: Queries,
  shop: Shop,
  customer: Customer | null,
  { codes, isPreview, ...sale }: Sale & { codes: Discount[]; isPreview: boolean },
  now: Temporal.Instant
): Promise<Reduction[]> {
  const offers: { discount: Discount; amountMinor: number }[] = []
  for (const discount of await listActiveAutomatic(q, shop.storeId, now)) {
    if (sortOf(discount) === 'App' || !codes.every((code) => doCombine(discount, code))) continue
    if (!(await isFor(q, shop, customer, discount, now))) continue
    const cut = await cutOf(q, shop, discount, sale)
    if ('reason' in cut) continue
    const amountMinor = sumOf(cut.reduction.perLine) + cut.reduction.shippingMinor
    if (amountMinor > 0) offers.push({ discount, amountMinor })
  }
  const chosen: Discount[] = []
  for (const { discount } of offers.toSorted((a, b) => b.amountMinor - a.amountMinor)) {
    if (chosen.every((other) => doCombine(discount, other))) chosen.push(discount)
  }
  const reductions: Reduction[] = []
  const reduced = new Set<number>()
  for (const discount of inOrder(chosen)) {
    const isOfProducts = discount.classes[0] === 'PRODUCT'
    const before = { ...sale, reductions: [...sale.reductions, ...reductions] }
    const cut = await cutOf(q, shop, discount, before, (line) => !isOfProducts || !reduced.has(line))
    if ('reason' in cut) continue
    if (isOfProducts) for (const [i, minor] of cut.reduction.perLine.entries()) if (minor > 0) reduced.add(i)
    if (!isPreview) await useDiscount(q, shop.storeId, discount.id, null)
    reductions.push({ ...cut.reduction, code: null, title: discount.title, isAutomatic: true })
  }
  return reductions
}

/** Which perks of a plan the app's function gives here: those on goods, and free shipping; by which discounts it runs. */
export type RunningFunction = { goods: boolean; shipping: boolean; discountIds: string[] }

/**
 * A function runs by an active automatic discount of the app that is for the customer. In a shop where the app has neither brought
 * a function nor made an automatic discount it runs by itself, which is what shops without a connected app's setup show.
 */
export async function runningFunction(
  q: Queries,
  shop: Shop,
  customer: Customer | null,
  now: Temporal.Instant
): Promise<RunningFunction> {
  const functions = await listFunctions(q, shop.storeId)
  if (functions.length === 0 && !(await hasAutomaticDiscounts(q, shop.storeId)))
    return { goods: true, shipping: true, discountIds: [] }
  const running: RunningFunction = { goods: false, shipping: false, discountIds: [] }
  for (const discount of await listActiveAutomatic(q, shop.storeId, now)) {
    if (sortOf(discount) !== 'App' || !functions.some(({ id }) => id === discount.body.functionId)) continue
    if (!(await isFor(q, shop, customer, discount, now))) continue
    const { classes } = discount
    running.discountIds.push(discount.id)
    running.goods ||= classes.length === 0 || classes.some((found) => found !== 'SHIPPING')
    running.shipping ||= classes.length === 0 || classes.includes('SHIPPING')
  }
  return running
}
