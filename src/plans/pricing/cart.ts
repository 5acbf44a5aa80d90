import type { Perks } from './perks.ts'

/** The types of a membership plan, in the order in which their perks count: Elite before VIP. */
export const TIERS = ['elite', 'vip'] as const
export type Tier = (typeof TIERS)[number]

/** What somebody is about to pay for. Amounts are integers in minor units of the store's currency. */
export type Cart = {
  /** `recurring`: the renewal of product subscriptions, which nobody is present for. */
  charge: 'checkout' | 'recurring'
  /** Their order does not matter. */
  lines: readonly CartLine[]
  /** ISO 3166-1 alpha-2: where it is sent. Null: not known yet. */
  country: string | null
  /** The chosen shipping method. Null: none is chosen yet. */
  shipping: { method: string; priceMinor: number } | null
}

export type CartLine = {
  /** Unique in the cart. */
  id: string
  /** The platform's id of the product, as digits. */
  productId: string
  variantId: string | null
  /** 1 or more. */
  quantity: number
  /** Of one piece: the final price without a membership, with the discount of its subscription where it has one. */
  priceMinor: number
  /** Of one piece: the price before a sale. */
  compareAtMinor: number | null
  /** Collections that the product is in, as digits. */
  collectionIds: readonly string[]
  /** Of the product. Compared without regard to case. */
  tags: readonly string[]
  /** The tier of the membership that the line sells; null for a product. */
  membership: Tier | null
}

/** A plan whose perks count for everybody of its tier. `label` is the tier's name, which discounts are shown with. */
export type TierPlan = { label: string; perks: Perks }

export type PricingContext = {
  /** The plan of each tier; null where the store has none on sale. */
  plans: Readonly<Record<Tier, TierPlan | null>>
  /** Null: nobody is identified. They get what somebody gets who never held a membership. */
  member: { activeTiers: readonly Tier[]; heldMembership: boolean } | null
}
