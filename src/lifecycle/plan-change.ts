import type { Plan } from '#plans'
import type { Interval } from '#platform'
import { type Actor, actorOf, type Change, type Subscription } from '#subscriptions'
import { keptReplacedPrices, type NewChange, pricesReplacedBy } from '#subscriptions/transitions'

/** The terms that are to be different; what is left out stays. */
export type RequestedChange = {
  planId?: number
  priceMinor?: number
  interval?: Interval
  intervalCount?: number
  /** The platform's id of the payment method, as it writes it. */
  platformPaymentMethodId?: string
}

/** `isPlain`: the contract is for nothing but its plan, so its price is the plan's. */
type RequestedPlan = Plan & { isPlain: boolean }

/**
 * What is to be changed in all, with what was requested before; null when that is nothing. A price that is given is what a cycle
 * costs in all. The price of a plan is that of the plan's line alone, whatever else the contract costs.
 */
export function planChange(
  s: Subscription,
  waiting: Change | null,
  plan: RequestedPlan | null,
  requested: RequestedChange,
  by: Actor
): NewChange | null {
  const isOfPlan = plan !== null && requested.priceMinor === undefined
  const planPrice = plan?.isPlain ? plan.priceMinor : null
  const wanted = {
    planId: requested.planId ?? waiting?.planId ?? s.planId,
    priceMinor: isOfPlan ? planPrice : (requested.priceMinor ?? waiting?.priceMinor ?? null),
    interval: requested.interval ?? plan?.interval ?? waiting?.interval ?? s.interval,
    intervalCount:
      requested.intervalCount ??
      (requested.interval ? 1 : (plan?.intervalCount ?? waiting?.intervalCount ?? s.intervalCount)),
    // A price that is given replaces the price of a plan or a version.
    linePriceMinor: isOfPlan
      ? plan.priceMinor
      : requested.priceMinor === undefined
        ? (waiting?.linePriceMinor ?? null)
        : null,
    method: requested.platformPaymentMethodId ?? waiting?.platformPaymentMethodId ?? null
  }
  const isOtherCadence = wanted.interval !== s.interval || wanted.intervalCount !== s.intervalCount
  const isSamePlan = wanted.planId === s.planId
  const isSamePrice = wanted.priceMinor === s.priceMinor
  const change = {
    planId: isSamePlan ? null : wanted.planId,
    priceMinor: isSamePrice ? null : wanted.priceMinor,
    linePriceMinor: isSamePlan && isSamePrice ? null : wanted.linePriceMinor,
    interval: isOtherCadence ? wanted.interval : null,
    intervalCount: isOtherCadence ? wanted.intervalCount : null,
    platformPaymentMethodId: wanted.method
  }
  const isAny = Object.values(change).some((value) => value !== null)
  const isNewPrice = plan !== null || requested.priceMinor !== undefined
  const replaces = isNewPrice ? pricesReplacedBy(change, s, waiting) : keptReplacedPrices(change, waiting)
  return isAny ? { subscriptionId: s.id, ...change, replaces, ...actorOf(by) } : null
}
