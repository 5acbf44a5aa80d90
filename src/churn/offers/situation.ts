import { isoOf } from '#kit/clock'
import { mainCadence } from '#plans'
import { chargeMinorOf, hasPaidAll } from '#subscriptions'
import {
  doesNotFit,
  hasActiveOffer,
  hasEnded,
  isBeingApplied,
  isBeingCharged,
  isNotEligible,
  wasUsedBefore
} from '../refusals.ts'
import { chargedParts, chargeWithOffer } from './charge-with-offer.ts'
import type { Situation } from './find-situation.ts'
import type { Offer } from './offer.ts'

/**
 * Why a contract may not accept an offer now, as a refusal to its customer; null where it may. `isShopper`: the customer asks, to whom
 * the rules of the offer on who is offered it apply.
 */
export function obstacleTo(
  offer: Offer,
  s: Situation,
  { now, isShopper }: { now: Temporal.Instant; isShopper: boolean }
) {
  if (s.liveOffer === 'active') return hasActiveOffer()
  if (s.liveOffer === 'applying') return isBeingApplied()
  if (s.status !== 'active' && s.status !== 'paused') return hasEnded()
  if (s.usedOffers.includes(offer.id)) return wasUsedBefore()
  if (s.isBeingCharged) return isBeingCharged()
  if (isShopper && ineligibilityOf(offer, s, now) !== null) return isNotEligible()
  const misfit = misfitOf(offer, s)
  return misfit === null ? null : doesNotFit(misfit)
}

/** Why the offer's own rules leave the contract out, for the operator; null where they do not. A day is 24 hours. */
export function ineligibilityOf(
  { minMemberDays, minDaysSinceOffer, isForTrials }: Offer,
  s: Situation,
  now: Temporal.Instant
): string | null {
  const isPast = (at: Temporal.Instant, days: number) =>
    Temporal.Instant.compare(at.add({ hours: days * 24 }), now) <= 0
  if (s.isInTrial && !isForTrials) return 'the contract is in its trial, and the offer is not for trials'
  if (!isPast(s.customerSince, minMemberDays)) {
    return `the customer has been one since ${isoOf(s.customerSince)}, and the offer is for customers of at least ${minMemberDays} days`
  }
  if (s.lastAcceptedAt === null || minDaysSinceOffer === 0 || isPast(s.lastAcceptedAt, minDaysSinceOffer)) return null
  return `the customer accepted an offer on ${isoOf(s.lastAcceptedAt)}, less than ${minDaysSinceOffer} days ago`
}

/** Why what the offer gives cannot be had on the contract; null where it can. */
function misfitOf(offer: Offer, s: Situation): string | null {
  if (offer.type === 'add_store_credits') {
    return offer.currency === s.shopCurrency ? null : `it is in ${offer.currency}, and the store in ${s.shopCurrency}`
  }
  if (offer.type === 'discount_price') {
    if (offer.currency !== s.currency) return `it is in ${offer.currency}, and the contract in ${s.currency}`
    return misfitOfDiscount(offer, s)
  }
  if (hasPaidAll(s)) return NO_PAYMENT_LEFT
  const { interval, intervalCount } = { interval: offer.interval!, intervalCount: offer.intervalCount! }
  if (interval === s.interval && intervalCount === s.intervalCount) return 'the contract has this frequency already'
  if (s.planType !== null && s.planType !== 'product' && mainCadence({ interval, intervalCount }) === null) {
    return 'a membership is billed every 1 to 28 weeks or months'
  }
  if (s.isInDunning) return 'a payment of the contract is open, until which its frequency stays'
  return s.hasWaitingTerms ? 'another change of the contract is under way' : null
}

const NO_PAYMENT_LEFT = 'no payment of the contract is left'

function misfitOfDiscount(offer: Offer, s: Situation): string | null {
  if (hasPaidAll(s)) return NO_PAYMENT_LEFT
  const { target, amountMinor, isOfEachItem } = offer
  const { lines, linesMinor, deliveryMinor } = chargedParts(s)
  if (target === 'shipping_line') return deliveryMinor > 0 ? null : 'its delivery is free already'
  if (linesMinor === 0) return 'the contract costs nothing already'
  if (amountMinor === null) return null
  const isMore = isOfEachItem
    ? lines.some(({ minor, quantity }) => amountMinor * quantity > minor)
    : amountMinor > linesMinor
  return isMore ? 'it takes off more than the contract costs' : null
}

/** What a contract becomes with an offer, for the page that shows it. Amounts in minor units. */
export type OfferPreview = {
  currency: string
  priceMinor: number
  priceWithOfferMinor: number
  cycles: number | null
  interval: Situation['interval']
  intervalCount: number
  nextBillingAt: Temporal.Instant | null
  creditMinor: number | null
}

/** What accepting would lead to; it must be possible. */
export function previewOffer(offer: Offer, s: Situation): OfferPreview {
  return {
    currency: s.currency,
    priceMinor: chargeMinorOf(s),
    priceWithOfferMinor: chargeWithOffer(offer, s) ?? chargeMinorOf(s),
    cycles: offer.cycles,
    interval: offer.interval ?? s.interval,
    intervalCount: offer.intervalCount ?? s.intervalCount,
    nextBillingAt: s.nextBillingAt,
    creditMinor: offer.creditMinor
  }
}
