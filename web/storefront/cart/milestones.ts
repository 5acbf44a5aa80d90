import type { CartPrice } from '#plans/pricing'
import type { Formats } from './formats.ts'
import type { Offer } from './offers.ts'
import type { Say } from './words.ts'

/** How near a cart is to a perk that depends on how much is in it, of 1, and in words. */
export type Milestone = { share: number; text: string }

/** Free shipping from a threshold on, and the next step of the discount. */
export function milestonesOf(
  { perks: { freeShipping, discount } }: Offer,
  { shipping, eligiblePieces }: CartPrice,
  { say, formats }: { say: Say; formats: Formats }
): Milestone[] {
  const milestone = (perk: string, [has, needs]: [number, number], format: (rest: number) => string): Milestone =>
    has < needs
      ? { share: has / needs, text: say('missing', { amount: format(needs - has), perk }) }
      : { share: 1, text: say('reached', { perk }) }

  const found: Milestone[] = []
  const { reason, isFree } = shipping
  const ships = freeShipping?.message || say('free_shipping')
  if (reason.code === 'too_few_items') found.push(milestone(ships, [reason.counted, reason.items], formats.number))
  else if (reason.code === 'subtotal_too_low')
    found.push(milestone(ships, [reason.countedMinor, reason.amountMinor], formats.money))
  else if (isFree && freeShipping?.threshold) found.push(milestone(ships, [1, 1], formats.number))

  const steps = [...(discount?.steps ?? [])].sort((a, b) => a.quantity - b.quantity)
  const step = steps.find(({ quantity }) => quantity > eligiblePieces) ?? steps.at(-1)
  if (step) {
    const amount = step.type === 'fixed' ? formats.money(step.amountMinor) : formats.percent(step.percent)
    found.push(milestone(say('off', { amount }), [eligiblePieces, step.quantity], formats.number))
  }
  return found
}
