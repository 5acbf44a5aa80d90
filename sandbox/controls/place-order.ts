import { minorOf, sumOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { ACCEPTED_COUNTRY, type CartPrice, isCountry } from '#plans/pricing'
import { inProportion } from '../amounts.ts'
import { refuseCountries } from '../checkout/allowed-countries.ts'
import { automaticReductions } from '../checkout/automatic-discounts.ts'
import { type CartTotals, type Goods, priceOf, type Reduction } from '../checkout/cart-totals.ts'
import { memberReductions, priceForMember } from '../checkout/member-prices.ts'
import type { Offer } from '../checkout/offers.ts'
import { type Cart, cartGoods, placeCheckout, refuseCredit, totalsOf } from '../checkout/place-checkout.ts'
import { findCoded, redeemCodes } from '../checkout/redeem-codes.ts'
import type { Platform } from '../http.ts'
import type { Shop } from '../shop.ts'
import { addressIn } from '../state/addresses.ts'
import { type Customer, findCustomer } from '../state/customers.ts'
import { findGiftCardByCode, type GiftCard } from '../state/gift-cards.ts'
import { type Attribute, findOrderOfCart, markCart } from '../state/orders.ts'
import { findProducts, findVariantsByName, type Product, type Variant } from '../state/products.ts'
import { lockCustomer, refuseHeld } from './checkout.ts'
import { requireOffer, saveCard } from './join.ts'
import { customerNotFound, idFrom, shopOf } from './refusals.ts'

/** A line of a cart: a variant by its number or SKU, or a plan by its name, which begins a contract. */
export type CartLine = { variant: string; quantity?: number } | { plan: string }

export type NewTestOrder = {
  storeId: number
  customerId: string
  /** A decimal amount in the shop's currency: one line of that price. Either this or `lines`. */
  total?: string | null
  lines?: CartLine[] | null
  /** The part paid with store credit. */
  credit?: string | null
  /** The code of a gift card, which pays as far as it goes. */
  giftCard?: string | null
  /** What an app's discount function takes off, by an automatic discount of this title. The function itself does not run here. */
  appDiscount?: { title: string; amount: string } | null
  /** Discount codes. */
  codes?: string[] | null
  /** Where it is shipped to; default: where the customer lives. */
  country?: string | null
  province?: string | null
  /** Street and house; default: those of the customer. */
  street?: string | null
  /** Of the address of the bill, if that is another. */
  billingCountry?: string | null
  billingProvince?: string | null
  attributes?: Attribute[] | null
  note?: string | null
  /** A decimal amount; no shipping line when left out. */
  shipping?: string | null
  /** In percent of the prices of taxable lines, on top of them. */
  taxPercent?: number | null
  /** The tax is in the prices. */
  taxesIncluded?: boolean | null
  /** The sales channel: web, pos, the number of an app, … */
  channel?: string | null
  /** Of a browser's cart, which is bought once, and which sells no plan that the customer has. */
  cartToken?: string | null
}

const MAX_ATTRIBUTES = 50

/**
 * Places the order of a cart, paid at once: by the gift card, then by store credit, then by the customer's card. Nothing happens
 * if the card is set to decline, or if a code, the credit or the gift card does not apply.
 */
export async function placeOrder(
  platform: Platform,
  input: NewTestOrder
): Promise<{ id: string; name: string; contractIds: string[] }> {
  const shop = await shopOf(platform, input.storeId)
  const customerId = idFrom('customer', input.customerId)
  const checked = checkedInput(shop, input)
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const { cartToken = null } = input
    // Two requests for one cart come one after the other.
    const customer = cartToken
      ? await lockCustomer(q, shop, customerId)
      : await findCustomer(q, shop.storeId, customerId)
    if (!customer) throw customerNotFound(customerId)
    const { cart } = await cartOf(q, shop, customer, { ...checked, isPreview: false }, now)
    const { creditMinor, giftCard, offers } = cart
    if (cartToken) {
      const before = await findOrderOfCart(q, shop.storeId, cartToken)
      if (before) throw new Refusal('conflict', `This cart is bought already: it is order #${before.number}`)
      for (const offer of offers) await refuseHeld(q, shop, customer, offer)
    }
    const byCard = totalsOf(cart).totalMinor - creditMinor - (giftCard?.balanceMinor ?? 0) > 0
    if (byCard || offers.length > 0) await saveCard(q, shop.storeId, customer)
    const { order, contractIds } = await placeCheckout(q, shop, customer, cart, now)
    if (cartToken) await markCart(q, shop.storeId, order.id, cartToken)
    return { id: order.id, name: `#${order.number}`, contractIds }
  })
}

export type OrderPreview = { cart: Cart; goods: Goods[]; totals: CartTotals; price: CartPrice }

/**
 * What an order would cost; nothing is used up. Refuses codes, a gift card and credit that the checkout would refuse. Null for the
 * customer: nobody is logged in.
 */
export async function previewOrder(
  platform: Platform,
  input: Omit<NewTestOrder, 'customerId'> & { customerId: string | null }
): Promise<OrderPreview> {
  const shop = await shopOf(platform, input.storeId)
  const checked = checkedInput(shop, input)
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const customer = input.customerId === null ? null : await findCustomer(q, shop.storeId, input.customerId)
    const { cart, price } = await cartOf(q, shop, customer, { ...checked, isPreview: true }, now)
    const totals = totalsOf(cart)
    if (customer) await refuseCredit(q, shop, customer, cart, totals.totalMinor)
    return { cart, goods: cartGoods(cart), totals, price }
  })
}

type Checked = Omit<NewTestOrder, 'storeId' | 'customerId'> & {
  testMinor: number | null
  creditMinor: number
  shippingMinor: number
}

/** Refuses fields that are wrong by themselves. */
function checkedInput(shop: Shop, input: Omit<NewTestOrder, 'customerId'>): Checked {
  const { total, lines, taxPercent } = input
  if (Boolean(total) === Boolean(lines?.length)) throw invalidField('total', 'or lines must be given, not both')
  const testMinor = total ? minorOf(total, shop.currency, 'total') : null
  if (testMinor !== null && testMinor <= 0) throw invalidField('total', 'must be an amount above zero')
  if (taxPercent != null && !(taxPercent >= 0 && taxPercent <= 100)) {
    throw invalidField('tax_percent', 'must be a number from 0 to 100')
  }
  refuseAttributes(input.attributes ?? [])
  for (const [field, country] of Object.entries({ country: input.country, billing_country: input.billingCountry })) {
    if (country && !isCountry(country)) throw invalidField(field, `must be ${ACCEPTED_COUNTRY}`)
  }
  const creditMinor = notNegative('credit', input.credit, shop)
  return { ...input, testMinor, creditMinor, shippingMinor: notNegative('shipping', input.shipping, shop) }
}

/** The cart of an input, with everything that reduces it: member prices first, then automatic discounts, then codes. */
async function cartOf(
  q: Queries,
  shop: Shop,
  customer: Customer | null,
  input: Checked & { isPreview: boolean },
  now: Temporal.Instant
): Promise<{ cart: Cart; price: CartPrice }> {
  const { testMinor, shippingMinor, isPreview, taxPercent, taxesIncluded, codes, creditMinor } = input
  const lines = input.lines ?? []
  const offers: Offer[] = []
  for (const line of lines) if ('plan' in line) offers.push(await requireOffer(q, shop.storeId, line.plan))
  const goods = testMinor === null ? await findGoods(q, shop, lines) : [testPurchase(testMinor)]
  const shipping = input.shipping ? { title: 'Standard', priceMinor: shippingMinor } : null
  const person = customer ?? { country: null, province: null, firstName: null, lastName: null, phone: null }
  const shippingAddress = addressIn(
    input.country ?? person.country,
    input.province ?? (input.country ? null : person.province),
    person,
    input.street
  )
  const all = cartGoods({ offers, goods })
  const country = shippingAddress?.countryCode ?? null
  // A preview shows what is in the cart; the checkout refuses to sell it.
  if (!isPreview) await refuseCountries(q, shop, offers, country)
  const price = await priceForMember(q, shop, customer, { goods: all, country, shipping }, now)
  const reductions = memberReductions(price)
  if (input.appDiscount) reductions.push(appReduction(shop, all, reductions, input.appDiscount))
  const coded = customer ? await findCoded(q, shop, codes ?? []) : []
  const sale = { goods: all, shippingMinor, country, isPreview }
  reductions.push(...(await automaticReductions(q, shop, customer, { ...sale, reductions, codes: coded }, now)))
  const cart: Cart = {
    offers,
    goods,
    shipping,
    tax: taxPercent ? { title: 'Tax', percent: taxPercent, ...(taxesIncluded && { isIncluded: true }) } : null,
    reductions: customer ? await redeemCodes(q, shop, customer, coded, { ...sale, reductions }, now) : reductions,
    creditMinor,
    giftCard: input.giftCard ? await requireGiftCard(q, shop, input.giftCard, now) : null,
    attributes: input.attributes ?? [],
    note: input.note ?? null,
    shippingAddress,
    billingAddress: input.billingCountry
      ? addressIn(input.billingCountry, input.billingProvince ?? null, person)
      : shippingAddress,
    sourceName: input.channel || 'web'
  }
  return { cart, price }
}

/** As far as there is something left to pay on the lines. */
function appReduction(
  shop: Shop,
  goods: Goods[],
  before: Reduction[],
  { title, amount }: { title: string; amount: string }
): Reduction {
  const wantedMinor = notNegative('app_discount', amount, shop)
  if (title.trim() === '') throw invalidField('app_discount', 'must have a title')
  const left = goods.map((line, i) => priceOf(line) - sumOf(before.map(({ perLine }) => perLine[i] ?? 0)))
  const perLine = inProportion(Math.min(sumOf(left), wantedMinor), left)
  return { code: null, title, percentage: null, isAutomatic: true, perLine, shippingMinor: 0 }
}

function notNegative(field: string, given: string | null | undefined, { currency }: Shop): number {
  const amountMinor = given ? minorOf(given, currency, field) : 0
  if (amountMinor < 0) throw invalidField(field, 'must be an amount of zero or more')
  return amountMinor
}

function refuseAttributes(attributes: Attribute[]): void {
  if (attributes.length > MAX_ATTRIBUTES) throw invalidField('attributes', `must be at most ${MAX_ATTRIBUTES}`)
  const names = attributes.map(({ name }) => name)
  if (names.some((name) => name.trim() === '')) throw invalidField('attributes', 'must have names')
  if (new Set(names).size < names.length) throw invalidField('attributes', 'must have different names')
}

/** What is bought once, in the order of the cart. Refuses a variant that the shop does not sell. */
async function findGoods(q: Queries, { storeId }: Shop, lines: CartLine[]): Promise<Goods[]> {
  const wanted = lines.filter((line) => 'variant' in line)
  const variants = await findVariantsByName(
    q,
    storeId,
    wanted.map(({ variant }) => variant.split('/').at(-1)!)
  )
  const products = await findProducts(
    q,
    storeId,
    variants.map(({ productId }) => productId)
  )
  return wanted.map(({ variant: name, quantity = 1 }) => {
    if (!Number.isInteger(quantity) || quantity < 1 || quantity > 1000) {
      throw invalidField('quantity', 'must be a whole number from 1 to 1000')
    }
    const wantedName = name.split('/').at(-1)!.toLowerCase()
    const variant = variants.find(({ id, sku }) => id === wantedName || sku?.toLowerCase() === wantedName)
    const product = products.find(({ id }) => id === variant?.productId)
    if (!variant || product?.status !== 'ACTIVE') throw new Refusal('not_found', `The shop sells no variant ${name}`)
    return goodsOf(product, variant, quantity)
  })
}

export function goodsOf(product: Product, variant: Variant, quantity: number): Goods {
  return {
    productId: product.id,
    variantId: variant.id,
    title: product.title,
    variantTitle: variant.title === 'Default Title' ? null : variant.title,
    sku: variant.sku,
    vendor: product.vendor,
    quantity,
    priceMinor: variant.priceMinor,
    requiresShipping: variant.requiresShipping,
    taxable: variant.taxable,
    sellingPlanId: null,
    sellingPlanName: null
  }
}

const testPurchase = (priceMinor: number): Goods => ({
  productId: null,
  variantId: null,
  title: 'Test purchase',
  variantTitle: null,
  sku: null,
  vendor: null,
  quantity: 1,
  priceMinor,
  requiresShipping: false,
  taxable: true,
  sellingPlanId: null,
  sellingPlanName: null
})

async function requireGiftCard(q: Queries, shop: Shop, code: string, now: Temporal.Instant): Promise<GiftCard> {
  const found = await findGiftCardByCode(q, shop.storeId, code)
  if (!found) throw new Refusal('not_found', 'There is no gift card with that code')
  const today = now.toZonedDateTimeISO(shop.timezone).toPlainDate().toString()
  if (found.deactivatedAt) throw new Refusal('conflict', 'The gift card is deactivated')
  if (found.expiresOn && found.expiresOn < today) throw new Refusal('conflict', 'The gift card has expired')
  if (found.balanceMinor === 0) throw new Refusal('conflict', 'The gift card is used up')
  return found
}
