import type { Ctx } from '#kit/postgres'
import { collectionsOf, findMainPlans, listPlans, MAX_COLLECTIONS } from '#plans'
import { gid } from '#platform'
import { storeContext } from '#stores'
import { ACTIVE_TAGS } from '../tags/wanted-tags.ts'
import { collectionIds } from './discount/svc-collection-ids.ts'
import { type Wanted, want } from './wanted-metafields.ts'

/** The metafields of the discounts that run our function, which are the same for each. */
export async function deriveDiscountMetafields(ctx: Ctx): Promise<Wanted> {
  const { profile } = await storeContext(ctx)
  const { vip, elite } = await findMainPlans(ctx, await listPlans(ctx))
  const all = [...new Set([vip, elite].flatMap((plan) => (plan ? collectionsOf(plan) : [])))]
  const wanted: Wanted = new Map()
  want(wanted, collectionIds, {
    customerVipTag: [ACTIVE_TAGS.vip],
    customerEliteTag: [ACTIVE_TAGS.elite],
    // More cannot be entered; plans of before may have more, of which the first count.
    collectionIds: all.slice(0, MAX_COLLECTIONS).map((id) => gid(profile, 'Collection', id))
  })
  return wanted
}
