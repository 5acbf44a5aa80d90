import type { PlanVersion, VersionOffer, VersionTarget } from '#plans'
import type { Change } from './requested-changes.ts'
import type { Cadence } from './schedule/billing-dates.ts'
import type { Subscription } from './subscription.ts'

/** What decides how a new version of its plan changes a subscription: its terms, and those that were requested and still wait. */
export type PresentTerms = Pick<
  Subscription,
  'planVersion' | 'priceMinor' | 'unitPriceMinor' | 'interval' | 'intervalCount'
> & {
  requestedPlanId: Change['planId']
  requestedPriceMinor: Change['priceMinor']
  requestedLinePriceMinor: Change['linePriceMinor']
  requestedInterval: Change['interval']
  requestedIntervalCount: Change['intervalCount']
}

/**
 * Why a subscription keeps its terms and its version.
 * - `own_price`: its price was agreed with one person; it is not the list price of the version that it has.
 * - `own_interval`: its interval and its price were; a price of the plan is for the plan's interval.
 * - `plan_change`: it was requested to move to another plan.
 */
export type KeptReason = 'own_price' | 'own_interval' | 'plan_change'

/**
 * What a version does to a subscription. `changed`: the edit of its contract; null fields stay. `priceMinor` is the total of a cycle,
 * null where the contract has more than one piece at the list price, or other discounts: then only the price of the plan's line is
 * known. `same`: it gets the version, whose credit may be another, and its contract stays as it is.
 */
export type Repricing =
  | { outcome: 'same' }
  | { outcome: 'kept'; reason: KeptReason }
  | {
      outcome: 'changed'
      priceMinor: number | null
      linePriceMinor: number | null
      interval: Cadence['interval'] | null
      intervalCount: number | null
    }

/**
 * What a version of its plan does to a subscription. What the version does not change stays as it was agreed, also what is only
 * requested so far. For `list_price` a price that was agreed with one person stays in any case. For `all` it does not; only a price
 * for an interval of its own stays, unless the version changes the interval too.
 */
export function planRepricing(
  s: PresentTerms,
  wanted: VersionOffer,
  versions: ReadonlyMap<number, Pick<PlanVersion, 'priceMinor' | 'interval' | 'intervalCount'>>,
  target: Exclude<VersionTarget, 'new'>
): Repricing {
  if (s.requestedPlanId !== null) return { outcome: 'kept', reason: 'plan_change' }
  // A subscription without a known version had the one before.
  const before = versions.get(s.planVersion ?? wanted.version - 1) ?? null
  const agreed = agreedCadence(s)
  const isNewPrice = wanted.priceMinor !== (before?.priceMinor ?? s.priceMinor)
  const isNewCadence = before === null || isOtherCadenceThan(before, wanted)
  const cadence = isNewCadence ? wanted : agreed
  const isOtherCadence = isOtherCadenceThan(s, cadence)
  if (!isNewPrice && !(isNewCadence && isOtherCadence)) return { outcome: 'same' }

  const isAtListPrice = before !== null && isPriceOf(s, before.priceMinor)
  if (target === 'list_price' && !isAtListPrice) return { outcome: 'kept', reason: 'own_price' }
  const hasOwnCadence = before !== null && isOtherCadenceThan(agreed, before)
  if (isNewPrice && hasOwnCadence && !isNewCadence && !isAtListPrice) return { outcome: 'kept', reason: 'own_interval' }
  const isTotalKnown = before !== null && agreedTotal(s) === before.priceMinor
  return {
    outcome: 'changed',
    priceMinor: isNewPrice ? (isTotalKnown ? wanted.priceMinor : null) : s.requestedPriceMinor,
    linePriceMinor: isNewPrice ? wanted.priceMinor : s.requestedLinePriceMinor,
    interval: isOtherCadence ? cadence.interval : null,
    intervalCount: isOtherCadence ? cadence.intervalCount : null
  }
}

/** Whether one of what the plan sells costs this, as far as is known: else whether the whole cycle does. */
function isPriceOf(s: PresentTerms, listPriceMinor: number): boolean {
  if (s.requestedLinePriceMinor !== null) return s.requestedLinePriceMinor === listPriceMinor
  if (s.requestedPriceMinor !== null) return s.requestedPriceMinor === listPriceMinor
  return (s.unitPriceMinor ?? s.priceMinor) === listPriceMinor
}

const agreedTotal = (s: PresentTerms): number | null =>
  s.requestedLinePriceMinor !== null ? s.requestedPriceMinor : (s.requestedPriceMinor ?? s.priceMinor)

const agreedCadence = (s: PresentTerms): Pick<Cadence, 'interval' | 'intervalCount'> =>
  s.requestedInterval !== null && s.requestedIntervalCount !== null
    ? { interval: s.requestedInterval, intervalCount: s.requestedIntervalCount }
    : s

const isOtherCadenceThan = (
  a: Pick<Cadence, 'interval' | 'intervalCount'>,
  b: Pick<Cadence, 'interval' | 'intervalCount'>
) => a.interval !== b.interval || a.intervalCount !== b.intervalCount
