import type { Interval } from '../wire/interval.ts'

/** The terms on which a plan is sold. */
export type PlanTerms = {
  name: string
  priceMinor: number
  currency: string
  interval: Interval
  intervalCount: number
  maxCycles?: number | null
  /** The price at the checkout, in place of `priceMinor`, which then begins with the first renewal. */
  firstPriceMinor?: number | null
}

/** What a person buys to join. Product and variant are null for a plan that sells existing products of the shop. */
export type PlanProduct = {
  productId: string | null
  variantId: string | null
  sellingPlanGroupId: string
  sellingPlanId: string
}

/** A plan on the platform. `productIds` are the products to sell under it; empty while nobody may join. */
export type PlanOnSale = Omit<PlanProduct, 'sellingPlanId'> & { productIds: string[] }
