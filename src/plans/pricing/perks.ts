/** A price reduction: a percentage with at most two decimals, or minor units of the plan's currency. */
export type Reduction = { type: 'percentage'; percent: number } | { type: 'fixed'; amountMinor: number }

/** What a reduction applies to. Ids are the platform's, as digits. */
export type Scope =
  | { appliesTo: 'all' }
  | { appliesTo: 'product'; productIds: string[] }
  | { appliesTo: 'collection'; collectionIds: string[] }

/** From `quantity` items on, this reduction replaces the perk's own; the highest step reached applies. */
export type Step = Reduction & { quantity: number }

/** Members' prices (spec 3: dp, dv, dt, dat, ds, ds_info, dct, stack_with_subs). */
export type DiscountPerk = {
  reduction: Reduction
  scope: Scope
  steps: Step[]
  /** `original`: of the compare-at price if there is one, else of the price (dct 1). `sale`: of the price (dct 2). */
  priceBase: 'original' | 'sale'
  stackWithSubscriptions: boolean
}

/** Off the cheapest product of the first membership order (wo, wo_v, wo_t, wo_at). */
export type WelcomeOfferPerk = { reduction: Reduction; scope: Scope }

/** `countries`: empty means every country. `threshold`: what the cart must reach (fs, fs_country, fs_threshold_type, …). */
export type FreeShippingPerk = {
  countries: string[]
  message: string | null
  methodName: string | null
  threshold: { type: 'items'; items: number } | { type: 'subtotal'; amountMinor: number } | null
}

/** The perks of a plan as stored (spec 3, svc_plan_settings; its field names are in brackets). An absent perk is off. */
export type Perks = {
  discount?: DiscountPerk
  welcomeOffer?: WelcomeOfferPerk
  freeShipping?: FreeShippingPerk
}
