import type { Queries } from '#kit/postgres'
import { type CartPrice, type Perks, type PricingContext, priceCart, TIERS, type Tier } from '#plans/pricing'
import type { Shop } from '../shop.ts'
import { listCollections } from '../state/collections.ts'
import { listContractsOf } from '../state/contracts.ts'
import type { Customer } from '../state/customers.ts'
import { listMetafields } from '../state/metafields.ts'
import { findProducts, findVariants } from '../state/products.ts'
import { type RunningFunction, runningFunction } from './automatic-discounts.ts'
import type { Goods, Reduction } from './cart-totals.ts'
import {
  MEMBERSHIP_PRODUCTS,
  membershipProducts,
  PLAN_SETTINGS,
  type PlanSettings,
  planSettings
} from './plan-settings.ts'

/** The tags by which the app says whose membership is active. */
const ACTIVE_TAG: Record<Tier, string> = { vip: 'svc: vip: active', elite: 'svc: elite: active' }

/**
 * Runs the app's discount function over a cart, as the platform's checkout would: it knows the plans by metafields of the shop, and
 * the customer by tags. Without them nobody has a member price.
 */
export async function priceForMember(
  q: Queries,
  shop: Shop,
  customer: Customer | null,
  cart: { goods: Goods[]; country: string | null; shipping: { title: string; priceMinor: number } | null },
  now: Temporal.Instant
): Promise<CartPrice> {
  const { context, lines } = await readPricing(q, shop, customer, cart.goods, now)
  const shipping = cart.shipping && { method: cart.shipping.title, priceMinor: cart.shipping.priceMinor }
  return priceCart({ charge: 'checkout', lines, country: cart.country, shipping }, context)
}

/** What one piece of each costs the customer by itself, in the order of the goods. */
export async function memberPricesOf(
  q: Queries,
  shop: Shop,
  customer: Customer | null,
  goods: Goods[],
  now: Temporal.Instant
): Promise<number[]> {
  const { context, lines } = await readPricing(q, shop, customer, goods, now)
  return lines.map((line) => {
    const alone = { charge: 'checkout' as const, lines: [{ ...line, quantity: 1 }], country: null, shipping: null }
    return priceCart(alone, context).lines[0]!.memberPriceMinor
  })
}

async function readPricing(q: Queries, shop: Shop, customer: Customer | null, goods: Goods[], now: Temporal.Instant) {
  const running = await runningFunction(q, shop, customer, now)
  const plans = (await readPlans(q, shop)).map((plan) => ({ ...plan, perks: givenPerks(plan.perks, running) }))
  const memberships = await findMemberships(q, shop, plans, running)
  const of = (tier: Tier) => plans.find((plan) => plan.tier === tier) ?? null
  const context: PricingContext = {
    plans: { vip: of('vip'), elite: of('elite') },
    member: customer && (await memberOf(q, shop, customer, memberships))
  }
  const ids = (key: 'productId' | 'variantId') => goods.flatMap((line) => line[key] ?? [])
  const products = await findProducts(q, shop.storeId, ids('productId'))
  const variants = await findVariants(q, shop.storeId, ids('variantId'))
  const collections = await listCollections(q, shop.storeId)
  const isRunning = running.goods || running.shipping
  const lines = goods.map(({ productId, variantId, quantity, priceMinor }, i) => ({
    id: String(i),
    productId: productId ?? '0',
    variantId,
    quantity,
    priceMinor,
    compareAtMinor: variants.find(({ id }) => id === variantId)?.compareAtMinor ?? null,
    collectionIds: collections.filter(({ productIds }) => productIds.includes(productId ?? '')).map(({ id }) => id),
    // Only the function goes by them: where none runs, no reason may speak of them.
    tags: (isRunning && products.find(({ id }) => id === productId)?.tags) || [],
    membership: memberships.get(productId ?? '') ?? null
  }))
  return { context, lines }
}

/** The perks that the function gives where it runs for goods, for shipping, or for both. */
function givenPerks({ discount, welcomeOffer, freeShipping, ...others }: Perks, running: RunningFunction): Perks {
  return {
    ...others,
    ...(running.goods && { ...(discount && { discount }), ...(welcomeOffer && { welcomeOffer }) }),
    ...(running.shipping && freeShipping && { freeShipping })
  }
}

async function readPlans(q: Queries, shop: Shop): Promise<PlanSettings[]> {
  const metafields = await listMetafields(q, shop.storeId, [`Shop/${shop.id}`])
  return PLAN_SETTINGS.keys.flatMap((key) => {
    const found = metafields.find((one) => one.namespace === PLAN_SETTINGS.namespace && one.key === key)
    return (found && planSettings(found.value, shop.currency)) ?? []
  })
}

/** The tiers of the products that are memberships: those of the plans, and those that a discount by which the function runs lists. */
async function findMemberships(
  q: Queries,
  { storeId }: Shop,
  plans: PlanSettings[],
  { discountIds }: RunningFunction
): Promise<Map<string, Tier>> {
  const metafields = await listMetafields(
    q,
    storeId,
    discountIds.map((id) => `DiscountNode/${id}`)
  )
  const { namespace, key } = MEMBERSHIP_PRODUCTS
  const listed = metafields.find((one) => one.namespace === namespace && one.key === key)
  return new Map([
    ...(listed ? membershipProducts(listed.value) : []),
    ...plans.flatMap(({ productId, tier }): [string, Tier][] => (productId === null ? [] : [[productId, tier]]))
  ])
}

async function memberOf(q: Queries, { storeId }: Shop, customer: Customer, memberships: Map<string, Tier>) {
  const tags = customer.tags.map((tag) => tag.toLowerCase())
  const activeTiers = TIERS.filter((tier) => tags.includes(ACTIVE_TAG[tier]))
  const contracts = await listContractsOf(q, storeId, [customer.id])
  const held = contracts.some(({ lines }) => lines.some(({ productId }) => memberships.has(productId ?? '')))
  return { activeTiers, heldMembership: held || activeTiers.length > 0 }
}

const TITLES = { member_price: 'member price', welcome_offer: 'welcome offer' }

/** What the function takes from a cart, as automatic discounts of the order. */
export function memberReductions({ lines, label, shipping }: CartPrice): Reduction[] {
  const common = { code: null, percentage: null, isAutomatic: true }
  const reductions: Reduction[] = []
  for (const kind of ['member_price', 'welcome_offer'] as const) {
    const perLine = lines.map(({ discounts }) => discounts.find((one) => one.kind === kind)?.amountMinor ?? 0)
    if (perLine.every((amountMinor) => amountMinor === 0)) continue
    const isForSome = perLine.includes(0)
    reductions.push({ ...common, title: `${label} ${TITLES[kind]}`, isForSome, perLine, shippingMinor: 0 })
  }
  if (shipping.discountMinor > 0) {
    const title = shipping.message ?? `${label} free shipping`
    const of = { target: 'SHIPPING_LINE' as const, percentage: 100, perLine: [] }
    reductions.push({ ...common, ...of, title, shippingMinor: shipping.discountMinor })
  }
  return reductions
}
