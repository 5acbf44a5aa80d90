import type { Cart, CartLine } from './cart.ts'
import type { LineReason } from './cart-price.ts'
import type { DiscountPerk, Reduction } from './perks.ts'
import { isExcluded, isFreeForMembers } from './product-tags.ts'
import { amountOff, isInScope } from './reduce.ts'

type Priced = { memberPriceMinor: number; reasons: LineReason[] }

/** The member price of a line of the cart, and how many pieces the steps counted. */
export type MemberPricing = { eligiblePieces: number; priceOf: (line: CartLine) => Priced }

/** How a plan's discount prices the lines of a cart. Steps count the eligible pieces of the whole cart. */
export function memberPricing(cart: Cart, perk: DiscountPerk | undefined): MemberPricing {
  const eligible = cart.lines.filter((line) => reasonAgainst(cart, line, perk) === null)
  const eligiblePieces = eligible.reduce((sum, { quantity }) => sum + quantity, 0)
  return {
    eligiblePieces,
    priceOf(line) {
      const reason = reasonAgainst(cart, line, perk)
      if (reason === null) return reduced(cart, line, perk!, eligiblePieces)
      return { memberPriceMinor: reason.code === 'tagged_free' ? 0 : line.priceMinor, reasons: [reason] }
    }
  }
}

/** Why the plan's own reduction does not apply to a line; null where it does, and the line's pieces are counted. */
function reasonAgainst(cart: Cart, line: CartLine, perk: DiscountPerk | undefined): LineReason | null {
  if (line.membership !== null) return { code: 'membership' }
  if (isExcluded(line)) return { code: 'tagged_no_discount' }
  if (!perk) return { code: 'no_discount' }
  if (cart.charge === 'recurring' && !perk.stackWithSubscriptions) return { code: 'not_stacked' }
  if (isFreeForMembers(line)) return { code: 'tagged_free' }
  if (line.priceMinor === 0) return { code: 'no_price' }
  return isInScope(line, perk.scope) ? null : { code: 'not_in_scope' }
}

function reduced(cart: Cart, line: CartLine, perk: DiscountPerk, eligiblePieces: number): Priced {
  const step = highestStep(perk, eligiblePieces)
  const { reduction, remarks } = chargeable(step ?? perk.reduction, cart)
  if (cart.charge === 'recurring' && reduction.type === 'fixed') {
    return { memberPriceMinor: line.priceMinor, reasons: [{ code: 'no_fixed_amount', reduction }] }
  }
  const onSale = perk.priceBase === 'original' && (line.compareAtMinor ?? 0) > line.priceMinor
  const baseMinor = onSale ? line.compareAtMinor! : line.priceMinor
  const fromBaseMinor = baseMinor - amountOff(baseMinor, reduction)
  // A sale that is better than the membership stays: a member never pays more than others.
  const memberPriceMinor = Math.min(line.priceMinor, fromBaseMinor)
  const applied = { reduction, base: onSale ? ('compare_at' as const) : ('price' as const), baseMinor }
  const reason: LineReason =
    memberPriceMinor < line.priceMinor
      ? step
        ? { code: 'step_price', ...applied, quantity: step.quantity, eligiblePieces }
        : { code: 'member_price', ...applied }
      : onSale
        ? { code: 'sale_price_lower', reduction, baseMinor, memberPriceMinor: fromBaseMinor }
        : { code: 'rounds_to_nothing', reduction }
  return { memberPriceMinor, reasons: [reason, ...remarks] }
}

function highestStep({ steps }: DiscountPerk, pieces: number): (Reduction & { quantity: number }) | null {
  const reached = steps.filter(({ quantity }) => quantity <= pieces)
  return reached.reduce<(typeof reached)[number] | null>(
    (best, step) => (best === null || step.quantity > best.quantity ? step : best),
    null
  )
}

/**
 * On a recurring charge the platform takes whole percents only: what is over is left out, since no perk is exceeded. A fixed amount
 * cannot be had there at all.
 */
function chargeable(given: Reduction, { charge }: Cart): { reduction: Reduction; remarks: LineReason[] } {
  const reduction: Reduction =
    given.type === 'fixed'
      ? { type: 'fixed', amountMinor: given.amountMinor }
      : { type: 'percentage', percent: given.percent }
  if (charge === 'checkout' || reduction.type === 'fixed') return { reduction, remarks: [] }
  const percent = Math.floor(reduction.percent)
  if (percent === reduction.percent) return { reduction, remarks: [] }
  return {
    reduction: { type: 'percentage', percent },
    remarks: [{ code: 'whole_percent', percent, given: reduction.percent }]
  }
}
