import type { Ctx } from '#kit/postgres'
import { collectionsOf, findMainPlans, listPlans, MAX_COLLECTIONS, type Plan, tierOf } from '#plans'
import type { Tier } from '#plans/pricing'
import { gid } from '#platform'
import { storeContext } from '#stores'
import { ACTIVE_TAGS } from '../tags/wanted-tags.ts'
import { collectionIds } from './discount/svc-collection-ids.ts'
import { MAX_MEMBERSHIP_PRODUCTS, membershipProducts } from './discount/svc-membership-products.ts'
import { type Wanted, want } from './wanted-metafields.ts'

/** The metafields of the discounts that run our function, which are the same for each. */
export async function deriveDiscountMetafields(ctx: Ctx): Promise<Wanted> {
  const { profile } = await storeContext(ctx)
  const plans = await listPlans(ctx)
  const { vip, elite } = await findMainPlans(ctx, plans)
  const all = [...new Set([vip, elite].flatMap((plan) => (plan ? collectionsOf(plan) : [])))]
  const wanted: Wanted = new Map()
  want(wanted, collectionIds, {
    customerVipTag: [ACTIVE_TAGS.vip],
    customerEliteTag: [ACTIVE_TAGS.elite],
    // More cannot be entered; plans of before may have more, of which the first count.
    collectionIds: all.slice(0, MAX_COLLECTIONS).map((id) => gid(profile, 'Collection', id))
  })
  want(wanted, membershipProducts, { vip: productsOf(plans, 'vip'), elite: productsOf(plans, 'elite') })
  return wanted
}

/** Those of disabled plans last: they can still be in a cart. */
function productsOf(plans: readonly Plan[], tier: Tier): string[] {
  const isEnabled = ({ status }: Plan) => Number(status === 'enabled')
  const ofTier = plans.filter((plan) => tierOf(plan) === tier).toSorted((a, b) => isEnabled(b) - isEnabled(a))
  const ids = ofTier.flatMap(({ platformProductId }) => platformProductId ?? [])
  return [...new Set(ids)].slice(0, MAX_MEMBERSHIP_PRODUCTS)
}
