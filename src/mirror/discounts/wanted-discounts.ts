import { MAX_COLLECTIONS } from '#plans'
import { TIERS, type Tier, type TierPlan } from '#plans/pricing'
import type { ShopDiscount } from '#platform'
import type { Enforcement, Slot } from '../discount-slots.ts'
import { ACTIVE_TAGS } from '../tags/wanted-tags.ts'

/** A discount without what only the platform can say: the numbers of its segment and its function. `tier`: whose segment it is for. */
export type WantedDiscount = { slot: Slot; tier: Tier | null; discount: Distributed }
type Unresolved = 'segmentIds' | 'functionId'
type Distributed = ShopDiscount extends infer One ? (One extends unknown ? Omit<One, Unresolved> : never) : never

/** The main plan of each tier as prices see it. */
export type MainPlans = Record<Tier, TierPlan | null>

const MAX_TITLE = 255

/** Member prices go with codes of the whole order and with free shipping, not with another discount of the same goods. */
const OF_GOODS = { order: true, product: false, shipping: true }
/** The platform refuses two discounts of shipping that go with each other. */
const OF_SHIPPING = { order: true, product: true, shipping: false }

/** The discounts that a shop is to have: pure. */
export function wantedDiscounts(by: Enforcement, plans: MainPlans): WantedDiscount[] {
  if (by === 'off') return []
  if (by === 'function') {
    // A purchase of a product subscription has member prices too; its renewals have them in the contract.
    const common = { kind: 'app', onSubscriptions: true } as const
    return [
      {
        slot: 'prices',
        tier: null,
        discount: { ...common, title: 'Member prices', classes: ['PRODUCT'], combinesWith: OF_GOODS }
      },
      {
        slot: 'shipping',
        tier: null,
        discount: { ...common, title: 'Member shipping', classes: ['SHIPPING'], combinesWith: OF_SHIPPING }
      }
    ]
  }
  const wanted = TIERS.flatMap((tier) => (plans[tier] ? nativeOf(tier, plans[tier]) : []))
  return wanted.map((one, i) => ({ ...one, discount: { ...one.discount, title: titleOf(one, wanted.slice(0, i)) } }))
}

function nativeOf(tier: Tier, { label, perks }: TierPlan): WantedDiscount[] {
  const { discount, freeShipping } = perks
  const wanted: WantedDiscount[] = []
  // The membership's own line is a selling plan's, which is never reduced: so no line of a selling plan is.
  const common = { title: label, onSubscriptions: false }
  if (discount) {
    const { reduction, scope } = discount
    wanted.push({
      slot: `${tier}_prices`,
      tier,
      discount: {
        ...common,
        kind: 'basic',
        combinesWith: OF_GOODS,
        value:
          reduction.type === 'fixed'
            ? { amountMinor: reduction.amountMinor }
            : { percent: roundPercent(reduction.percent) },
        items:
          scope.appliesTo === 'product'
            ? { productIds: scope.productIds }
            : scope.appliesTo === 'collection'
              ? { collectionIds: scope.collectionIds.slice(0, MAX_COLLECTIONS) }
              : 'all'
      }
    })
  }
  // Natively every method would be free where the plan names one: that would exceed the perk.
  if (freeShipping && freeShipping.methodName === null) {
    const { threshold, countries, message } = freeShipping
    wanted.push({
      slot: `${tier}_shipping`,
      tier,
      discount: {
        ...common,
        title: message ?? `${label}: free shipping`,
        kind: 'free_shipping',
        combinesWith: OF_SHIPPING,
        countries,
        least:
          threshold === null
            ? null
            : threshold.type === 'items'
              ? { items: threshold.items }
              : { subtotalMinor: threshold.amountMinor }
      }
    })
  }
  return wanted
}

const roundPercent = (percent: number): number => Math.round(percent * 100) / 100

/** Titles of automatic discounts have to differ. */
function titleOf({ slot, discount }: WantedDiscount, before: WantedDiscount[]): string {
  const title = discount.title.slice(0, MAX_TITLE)
  const isTaken = before.some((other) => other.discount.title.toLowerCase() === discount.title.toLowerCase())
  if (!isTaken) return title
  const more = ` (${slot.replace('_', ' ')})`
  return title.slice(0, MAX_TITLE - more.length) + more
}

/** The customers of a tier, in the platform's language of segments. Who holds both has Elite alone, where Elite has a plan. */
export function segmentOf(tier: Tier, plans: MainPlans): { names: readonly string[]; query: string } {
  const [all, notElite] = SEGMENT_QUERIES[tier]
  return { names: SEGMENT_NAMES[tier], query: plans.elite && notElite ? notElite : all }
}

/** Whether a segment of one of the tier's names was made by the service, whatever plans there were then. */
export const isSegmentOfOurs = (tier: Tier, query: string): boolean => SEGMENT_QUERIES[tier].includes(query)

/** The second is for a shop that has a segment of its own by the first. Only words: the platform's search reads signs its own way. */
const SEGMENT_NAMES: Record<Tier, readonly string[]> = {
  vip: ['Active VIP members', 'Active VIP members by Perennial'],
  elite: ['Active Elite members', 'Active Elite members by Perennial']
}

const hasTag = (tier: Tier) => `customer_tags CONTAINS '${ACTIVE_TAGS[tier]}'`
/** Every query that the service has ever given a segment: one that is changed stays here, so that segments of before are found. */
const SEGMENT_QUERIES: Record<Tier, readonly [all: string, notElite?: string]> = {
  vip: [hasTag('vip'), `${hasTag('vip')} AND customer_tags NOT CONTAINS '${ACTIVE_TAGS.elite}'`],
  elite: [hasTag('elite')]
}

/** A perk that members do not get at the checkout. `isGeneral`: so it is with every native discount. */
export type NotEnforced = { tier: Tier; field: string; message: string; isGeneral: boolean }

/** What the discounts of a shop do not give of the perks of its main plans. A function gives all. */
export function notEnforced(by: Enforcement, plans: MainPlans): NotEnforced[] {
  if (by === 'function') return []
  return TIERS.flatMap((tier) => {
    const perks = plans[tier]?.perks
    if (!perks) return []
    const all: NotEnforced[] = []
    const miss = (field: string, message: string, isGeneral = false) =>
      all.push({ tier, field: `perks.${field}`, message, isGeneral })
    const { discount, welcomeOffer, freeShipping } = perks
    if (by === 'off') {
      if (discount) miss('discount', 'the service keeps no discount that gives members their prices')
      if (welcomeOffer) miss('welcome_offer', 'the service keeps no discount that gives the welcome offer')
      if (freeShipping) miss('free_shipping', 'the service keeps no discount that gives free shipping')
      return all
    }
    if (discount) {
      if (discount.steps.length > 0) {
        miss(
          'discount.steps',
          "steps are not reached: members get the plan's own reduction, whatever the number of pieces"
        )
      }
      if (discount.priceBase === 'original') {
        miss(
          'discount.price_base',
          'the reduction is taken off the sale price, also of products with a compare-at price'
        )
      }
      if (discount.scope.appliesTo === 'collection' && discount.scope.collectionIds.length > MAX_COLLECTIONS) {
        miss('discount.collection_ids', `only the first ${MAX_COLLECTIONS} collections are reduced`)
      }
      miss('discount', 'the tags NO-VIP-DISCOUNT and 100%-VIP-DISCOUNT of products are not looked at', true)
      miss('discount', 'products that are bought as a subscription have no member price', true)
      miss('discount', 'who buys the membership has member prices from the next order on', true)
    }
    if (welcomeOffer) miss('welcome_offer', 'there is no welcome offer')
    if (freeShipping) {
      if (freeShipping.methodName !== null) {
        miss('free_shipping.method_name', 'one shipping method alone cannot be free, so none is')
      } else miss('free_shipping', 'who buys the membership has free shipping from the next order on', true)
    }
    return all
  })
}
