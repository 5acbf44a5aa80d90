import type { Cart, CartLine, PricingContext } from './cart.ts'
import type { WelcomeReason } from './cart-price.ts'
import type { WelcomeOfferPerk } from './perks.ts'
import { counts } from './product-tags.ts'
import { amountOff, isInScope } from './reduce.ts'

/** A line with the member price of one piece. */
export type MemberPriced = { line: CartLine; memberPriceMinor: number }

type WelcomeOffer = { lineId: string | null; amountMinor: number; reason: WelcomeReason }

/**
 * The welcome offer: once, off one piece of the product with the lowest price, after the member price, in the checkout that sells
 * somebody their first membership.
 */
export function welcomeOffer(
  cart: Cart,
  lines: readonly MemberPriced[],
  perk: WelcomeOfferPerk | undefined,
  member: PricingContext['member']
): WelcomeOffer {
  const none = (reason: WelcomeReason): WelcomeOffer => ({ lineId: null, amountMinor: 0, reason })
  if (!perk) return none({ code: 'no_welcome_offer' })
  if (cart.charge === 'recurring') return none({ code: 'recurring_charge' })
  if (!cart.lines.some(({ membership }) => membership !== null)) return none({ code: 'no_membership_in_cart' })
  if (member && (member.heldMembership || member.activeTiers.length > 0)) return none({ code: 'held_membership' })
  const { reduction, scope } = perk
  const [lowest] = lines
    .filter(({ line, memberPriceMinor }) => counts(line) && isInScope(line, scope) && memberPriceMinor > 0)
    .sort(byPrice)
  if (!lowest) return none({ code: 'no_product_for_welcome_offer' })
  const amountMinor = amountOff(lowest.memberPriceMinor, reduction)
  if (amountMinor === 0) return none({ code: 'rounds_to_nothing', reduction })
  return { lineId: lowest.line.id, amountMinor, reason: { code: 'welcome_offer', reduction } }
}

/**
 * The lowest member price first. Of equal ones the product, the variant and the line with the lowest id come first, so that the
 * order of the lines decides nothing. The ids are numbers of any length: the shorter is the lower one.
 */
function byPrice(a: MemberPriced, b: MemberPriced): number {
  return (
    a.memberPriceMinor - b.memberPriceMinor ||
    byId(a.line.productId, b.line.productId) ||
    byId(a.line.variantId ?? '', b.line.variantId ?? '') ||
    byId(a.line.id, b.line.id)
  )
}

const byId = (a: string, b: string) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
