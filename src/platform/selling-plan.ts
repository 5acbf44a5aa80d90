import { decimalOf } from '#kit/money'
import type { PlanTerms } from './shapes.ts'

/**
 * The selling plan of these terms, as the platform takes it. A membership's price stands on its product's variant, so that
 * the selling plan needs to say one only where a checkout takes another; products of the shop have prices of their own,
 * and there it always does.
 */
export function sellingPlanOf(terms: PlanTerms, pricedBy: 'variant' | 'plan') {
  const { name, interval, intervalCount, maxCycles = null } = terms
  const rhythm = { interval: interval.toUpperCase(), intervalCount }
  const every = intervalCount === 1 ? `Every ${interval}` : `Every ${intervalCount} ${interval}s`
  return {
    name,
    options: [every],
    category: 'SUBSCRIPTION',
    billingPolicy: { recurring: { ...rhythm, maxCycles } },
    deliveryPolicy: { recurring: rhythm },
    pricingPolicies: policiesOf(terms, pricedBy)
  }
}

/** A first price holds for the checkout, which the platform counts as the first cycle. */
function policiesOf({ priceMinor, firstPriceMinor = null, currency }: PlanTerms, pricedBy: 'variant' | 'plan') {
  const price = (minor: number) => ({
    adjustmentType: 'PRICE',
    adjustmentValue: { fixedValue: decimalOf(minor, currency) }
  })
  if (firstPriceMinor !== null) {
    return [{ fixed: price(firstPriceMinor) }, { recurring: { ...price(priceMinor), afterCycle: 1 } }]
  }
  return pricedBy === 'plan' ? [{ fixed: price(priceMinor) }] : []
}
