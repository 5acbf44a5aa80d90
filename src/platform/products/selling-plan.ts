import { decimalOf } from '#kit/money'
import type { PlanTerms } from './plan-on-sale.ts'

/**
 * The selling plan of these terms, as input for the platform. A membership's price is the price of its product's variant, so the
 * selling plan has a price only where the checkout has another one. Products of the shop have their own prices, so there the
 * selling plan always has a price.
 */
export function sellingPlanOf(terms: PlanTerms, pricedBy: 'variant' | 'plan') {
  const { name, interval, intervalCount, maxCycles = null } = terms
  const cadence = { interval: interval.toUpperCase(), intervalCount }
  const every = intervalCount === 1 ? `Every ${interval}` : `Every ${intervalCount} ${interval}s`
  return {
    name,
    options: [every],
    category: 'SUBSCRIPTION',
    billingPolicy: { recurring: { ...cadence, maxCycles } },
    deliveryPolicy: { recurring: cadence },
    pricingPolicies: policiesOf(terms, pricedBy)
  }
}

/** The first price applies to the checkout, which the platform counts as the first cycle. */
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
