import type { Ctx } from '#kit/postgres'
import { deriveCustomerMetafields } from './derive-customers.ts'
import { deriveDiscountMetafields } from './derive-discounts.ts'
import { deriveShopMetafields } from './derive-shop.ts'
import { ownerKey } from './owner-queries.ts'
import type { OwnerOfMetafields, Wanted } from './wanted-metafields.ts'

/**
 * What owners are to have, by `ownerKey`: null where nobody can say it, of which doctor has the reason. Those whom the platform does not have
 * any more are left out.
 */
export async function deriveWanted(ctx: Ctx, owners: OwnerOfMetafields[]): Promise<Map<string, Wanted | null>> {
  const wantedOf = new Map<string, Wanted | null>()
  const { customer = [], discount = [], shop = [] } = Object.groupBy(owners, ({ kind }) => kind)
  const derived = await deriveCustomerMetafields(
    ctx,
    customer.map(({ ownerId }) => ownerId)
  )
  for (const one of customer) {
    const of = derived.get(one.ownerId)
    if (of && !of.isGone) wantedOf.set(ownerKey(one), of.problem === null ? of.wanted : null)
  }
  if (discount.length > 0) {
    const wanted = await deriveDiscountMetafields(ctx)
    for (const one of discount) wantedOf.set(ownerKey(one), wanted)
  }
  for (const one of shop) wantedOf.set(ownerKey(one), await deriveShopMetafields(ctx))
  return wantedOf
}
