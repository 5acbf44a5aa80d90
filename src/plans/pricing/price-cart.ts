import { assertCart } from './assert-cart.ts'
import { type Cart, type PricingContext, TIERS, type Tier, type TierPlan } from './cart.ts'
import type { CartPrice, LineDiscount, LinePrice, LineReason } from './cart-price.ts'
import { freeShipping, paidShipping } from './free-shipping.ts'
import { memberPricing } from './member-price.ts'
import { counts } from './product-tags.ts'
import { type MemberPriced, welcomeOffer } from './welcome-offer.ts'

/**
 * What a cart costs with the perks of a membership, and why (docs/pricing.md). Pure: the same cart and context give the same price,
 * in whichever order the lines are. Amounts are integers in minor units of one currency. Throws RangeError for a cart that cannot
 * be, naming the field: an amount below 0 or with a fraction, a quantity below 1, two lines with one id.
 */
export function priceCart(cart: Cart, context: PricingContext): CartPrice {
  assertCart(cart)
  const { tier, hasTier } = tierOf(cart, context)
  return tier ? withPerks(cart, context, tier, context.plans[tier]!) : withoutPerks(cart, hasTier)
}

/** The tier whose perks count, Elite before VIP: of the active memberships, and of those that the cart holds. */
function tierOf({ lines }: Cart, { plans, member }: PricingContext): { tier: Tier | null; hasTier: boolean } {
  const held = TIERS.filter(
    (tier) => member?.activeTiers.includes(tier) || lines.some(({ membership }) => membership === tier)
  )
  return { tier: held.find((tier) => plans[tier] !== null) ?? null, hasTier: held.length > 0 }
}

function withPerks(cart: Cart, { member }: PricingContext, tier: Tier, { label, perks }: TierPlan): CartPrice {
  const { eligiblePieces, priceOf } = memberPricing(cart, perks.discount)
  const priced = cart.lines.map((line) => ({ line, ...priceOf(line) }))
  const offer = welcomeOffer(cart, priced, perks.welcomeOffer, member)
  const lines = priced.map((one) => {
    const { line, reasons } = one
    const isOffered = line.id === offer.lineId && offer.reason.code === 'welcome_offer'
    return linePrice(one, label, {
      welcomeMinor: isOffered ? offer.amountMinor : 0,
      reasons: isOffered ? [...reasons, offer.reason as LineReason] : reasons
    })
  })
  const counted = lines.filter((_, i) => counts(cart.lines[i]!))
  const shipping = freeShipping(
    cart,
    { items: sum(counted, (line) => line.quantity), subtotalMinor: sum(counted, (line) => line.totalMinor) },
    perks.freeShipping
  )
  const { lineId, reason } = offer
  return { tier, label, ...totalsOf(lines), eligiblePieces, welcomeOffer: { lineId, reason }, shipping }
}

function withoutPerks(cart: Cart, hasTier: boolean): CartPrice {
  const reason = { code: hasTier ? ('no_plan' as const) : ('not_a_member' as const) }
  const lines = cart.lines.map((line) => {
    const reasons: LineReason[] = [line.membership === null ? reason : { code: 'membership' }]
    return linePrice({ line, memberPriceMinor: line.priceMinor }, '', { welcomeMinor: 0, reasons })
  })
  return {
    tier: null,
    label: null,
    ...totalsOf(lines),
    eligiblePieces: 0,
    welcomeOffer: { lineId: null, reason },
    shipping: paidShipping(reason)
  }
}

function linePrice(
  { line, memberPriceMinor }: MemberPriced,
  label: string,
  { welcomeMinor, reasons }: { welcomeMinor: number; reasons: LineReason[] }
): LinePrice {
  const { id, quantity, priceMinor } = line
  const pieceMinor = priceMinor - memberPriceMinor
  const all: LineDiscount[] = [
    { kind: 'member_price', label, pieces: quantity, pieceMinor, amountMinor: pieceMinor * quantity },
    { kind: 'welcome_offer', label, pieces: 1, pieceMinor: welcomeMinor, amountMinor: welcomeMinor }
  ]
  const discounts = all.filter(({ amountMinor }) => amountMinor > 0)
  const discountMinor = sum(discounts, ({ amountMinor }) => amountMinor)
  const totalMinor = priceMinor * quantity - discountMinor
  return { id, quantity, priceMinor, memberPriceMinor, discounts, discountMinor, totalMinor, reasons }
}

function totalsOf(lines: LinePrice[]) {
  const discountMinor = sum(lines, (line) => line.discountMinor)
  const totalMinor = sum(lines, (line) => line.totalMinor)
  return { lines, subtotalMinor: discountMinor + totalMinor, discountMinor, totalMinor }
}

const sum = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((total, one) => total + of(one), 0)
