import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { billingDate, withInterval } from '#subscriptions'
import { listReasons } from '../reasons/reason-queries.ts'
import type { ReasonAlias } from '../reasons/reasons.ts'
import { findSituation, type Situation } from './find-situation.ts'
import { listOffers, type OfferWithReasons } from './offer-queries.ts'
import { ineligibilityOf, type OfferPreview, obstacleTo, previewOffer } from './situation.ts'

/** What an offer would do to one contract now, for an operator. */
export type OfferOutlook = {
  offer: OfferWithReasons
  /** Of its reasons, those that are switched on. */
  shownFor: ReasonAlias[]
  /** Why the customer may not accept it now; null where they may. */
  obstacle: string | null
  /** Whether a program with a key may, which the offer's own rules do not concern. */
  isOpenToPrograms: boolean
  /** What it leads to; null where nobody may accept it. */
  preview: (OfferPreview & FurtherDates) | null
}

/** `followingAt`: the charge after the next one. `fullPriceAt`: the first without the discount; null where it is without an end. */
type FurtherDates = { followingAt: Temporal.Instant | null; fullPriceAt: Temporal.Instant | null }

/** All offers of the store for one subscription, which exists, oldest first. Reads only. */
export async function previewOffers(ctx: Ctx, subscriptionId: number): Promise<OfferOutlook[]> {
  const situation = await findSituation(ctx, subscriptionId)
  const { timezone } = await storeContext(ctx)
  const on = new Set((await listReasons(ctx)).filter(({ isOn }) => isOn).map(({ alias }) => alias))
  return (await listOffers(ctx)).map((offer) => {
    const isOpen = (isShopper: boolean) =>
      offer.isOn && obstacleTo(offer, situation, { now: ctx.now, isShopper }) === null
    const isOpenToPrograms = isOpen(false)
    return {
      offer,
      shownFor: offer.reasons.filter((alias) => on.has(alias)),
      obstacle: obstacleOf(offer, situation, ctx.now),
      isOpenToPrograms,
      preview: isOpenToPrograms
        ? { ...previewOffer(offer, situation), ...furtherDates(offer, situation, timezone) }
        : null
    }
  })
}

/** Why the customer may not accept an offer now: what they are told, and which of the offer's own rules it is. */
function obstacleOf(offer: OfferWithReasons, situation: Situation, now: Temporal.Instant): string | null {
  if (!offer.isOn) return 'The offer is switched off'
  const obstacle = obstacleTo(offer, situation, { now, isShopper: true })
  if (!obstacle) return null
  const isOfRules = obstacleTo(offer, situation, { now, isShopper: false }) === null
  const which = isOfRules ? ineligibilityOf(offer, situation, now) : null
  return which === null ? obstacle.message : `${obstacle.message}: ${which}`
}

/** As the series of its dates goes on, while none of them is skipped or moved. */
function furtherDates(offer: OfferWithReasons, s: Situation, timezone: string): FurtherDates {
  if (s.nextBillingAt === null) return { followingAt: null, fullPriceAt: null }
  const { interval, intervalCount, cycles } = offer
  const cadence =
    interval === null ? s : withInterval(s, s.nextCycle, { interval, intervalCount: intervalCount! }, timezone)
  const left = s.maxCycles === null ? Number.POSITIVE_INFINITY : s.maxCycles - s.cyclesPaid
  const dateAfter = (charges: number) => (charges < left ? billingDate(cadence, s.nextCycle + charges, timezone) : null)
  return { followingAt: dateAfter(1), fullPriceAt: cycles === null ? null : dateAfter(cycles) }
}
