import type { Tier, TierPlan } from '#plans/pricing'
import type { Exchange } from '../../../extensions/member-discounts/src/money.ts'
import { reductionMinor, Unreadable } from '../../../extensions/member-discounts/src/money.ts'
import { planOf } from '../../../extensions/member-discounts/src/plan-settings.ts'
import type { IntervalName } from '../../../sdk/src/storefront-answers.ts'
import { firstPriceOf } from '../shared/first-price.ts'
import { type ThemeData, textOf } from './theme-data.ts'

export type Every = { unit: IntervalName; count: number }

/** A membership that is on sale. Amounts are in minor units of the currency of the cart. */
export type Offer = TierPlan & {
  tier: Tier
  name: string
  productId: string
  variantId: string
  sellingPlanId: string
  priceMinor: number
  /** What it costs at first, where that is something else, and for how many days; 0 for the first cycle. */
  trial: { minor: number; days: number } | null
  every: Every
  /** Where it is sold, with commas; '' is everywhere. */
  countries: string
}

const KEYS = [
  ['svc_plan_settings', 'vip'],
  ['svc_plan_settings2', 'elite']
] as const

/** The main plans, VIP first, that are enabled. Those whose settings cannot be read are left out. */
export function readOffers(data: ThemeData, exchange: Exchange): Offer[] {
  return KEYS.flatMap(([key, tier]) => {
    try {
      return readOffer(data, key, tier, exchange) ?? []
    } catch (err) {
      if (err instanceof Unreadable) return []
      throw err
    }
  })
}

function readOffer(data: ThemeData, key: string, tier: Tier, exchange: Exchange): Offer | null {
  const fields = data.metafield(key)
  const plan = planOf(fields, tier, exchange)
  const ids = [fields.product_gid, fields.product_variant_id, fields.plan_id].map(numberOf)
  const [productId, variantId, sellingPlanId] = ids as [string, string, string]
  if (!plan || ids.includes('')) return null
  const first = firstPriceOf(fields)
  const price = (given: unknown) => reductionMinor(textOf(given), exchange)
  return {
    ...plan,
    ...{ tier, productId, variantId, sellingPlanId },
    name: textOf(fields.plan_name) || plan.label,
    priceMinor: price(fields.product_price),
    trial: first && { minor: price(first.price), days: first.days },
    every: { unit: fields.i_name === 'week' ? 'WEEK' : 'MONTH', count: Number(fields.i_count) || 1 },
    countries: textOf(fields.allowed_countries)
  }
}

/** Whether a plan may be sold where the visitor buys; where that is not known, the checkout decides. */
export const isSoldIn = ({ country }: ThemeData, { countries }: Offer): boolean =>
  countries === '' || country === null || countries.split(',').includes(country)

/** The digits of an id; '' for what is none. */
const numberOf = (given: unknown): string => /^(?:gid:.*\/)?(\d+)$/.exec(textOf(given))?.[1] ?? ''
