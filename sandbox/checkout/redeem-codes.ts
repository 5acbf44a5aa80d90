import type { Queries } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Shop } from '../shop.ts'
import type { Customer } from '../state/customers.ts'
import { type Discount, findDiscounts, useDiscount } from '../state/discounts/discounts.ts'
import { countUse, findByCodes, type RedeemCode, usesByCustomer } from '../state/discounts/redeem-codes.ts'
import type { Reduction } from './cart-totals.ts'
import { cutOf, doCombine, inOrder, isFor, type Sale } from './discount-cuts.ts'

/** A discount with the code by which the customer asks for it. */
export type Coded = Discount & { redeemCode: RedeemCode }

/** The discounts of codes, which must exist and go with each other. */
export async function findCoded(q: Queries, shop: Shop, codes: string[]): Promise<Coded[]> {
  const redeemCodes = await findByCodes(q, shop.storeId, codes)
  const discounts = await findDiscounts(
    q,
    shop.storeId,
    redeemCodes.map(({ discountId }) => discountId)
  )
  const found: Coded[] = []
  for (const code of codes) {
    const redeemCode = redeemCodes.find((one) => one.code.toLowerCase() === code.toLowerCase())
    const discount = discounts.find(({ id }) => id === redeemCode?.discountId)
    if (!redeemCode || !discount) throw new Refusal('not_found', `There is no coupon ${code}`)
    if (found.some(({ id }) => id === discount.id)) throw new Refusal('conflict', `The coupon ${code} is given twice`)
    found.push({ ...discount, redeemCode })
  }
  for (const [i, a] of found.entries()) {
    for (const b of found.slice(i + 1)) {
      if (doCombine(a, b)) continue
      throw new Refusal('conflict', `The coupon ${a.redeemCode.code} cannot be combined with ${b.redeemCode.code}`)
    }
  }
  return found
}

/**
 * Uses each code once and returns what it takes from the cart, after what `sale.reductions` take already. Refused if a code does
 * not apply. A preview uses nothing up.
 */
export async function redeemCodes(
  q: Queries,
  shop: Shop,
  customer: Customer,
  coded: Coded[],
  sale: Sale & { isPreview: boolean },
  now: Temporal.Instant
): Promise<Reduction[]> {
  const reductions = [...sale.reductions]
  for (const discount of inOrder(coded) as Coded[]) {
    reductions.push(await redeem(q, shop, customer, discount, { ...sale, reductions }, now))
  }
  return reductions
}

async function redeem(
  q: Queries,
  shop: Shop,
  customer: Customer,
  discount: Coded,
  sale: Sale & { isPreview: boolean },
  now: Temporal.Instant
): Promise<Reduction> {
  const { body, redeemCode } = discount
  const no = (reason: string) => new Refusal('conflict', `The coupon ${redeemCode.code} does not apply: ${reason}`)
  const limit = body.usageLimit ?? null
  const usedUp = limit === 1 ? 'it has been used' : 'it is used up'
  // An app ends a code that was used: that it was used says more.
  if (limit !== null && discount.usageCount >= limit) throw no(usedUp)
  if (Temporal.Instant.compare(discount.startsAt, now) > 0) throw no('it has not started')
  if (discount.endsAt && Temporal.Instant.compare(discount.endsAt, now) <= 0) throw no('it has expired')
  if (!(await isFor(q, shop, customer, discount, now))) throw no('it belongs to another customer')
  const cut = await cutOf(q, shop, discount, sale)
  if ('reason' in cut) throw no(cut.reason)
  const of = { customerId: customer.id, discountId: discount.id }
  if (body.appliesOncePerCustomer && (await usesByCustomer(q, shop.storeId, of)) > 0) {
    throw no('the customer has used it')
  }
  if (!sale.isPreview) {
    if (!(await useDiscount(q, shop.storeId, discount.id, limit))) throw no(usedUp)
    await countUse(q, shop.storeId, redeemCode.id)
  }
  return { ...cut.reduction, code: redeemCode.code, title: discount.title }
}
