import type { Queries } from '#kit/postgres'
import {
  findProducts,
  listGroups,
  listPlans,
  listVariants,
  type Product,
  type SellingPlan,
  type SellingPlanGroup,
  type Variant
} from '../state/products.ts'

/** A subscription is of a product that the shop also sells once. */
export type OfferKind = 'membership' | 'subscription'

/** The app gives a membership's product this type; the products of memberships of before have none. */
export const kindOf = ({ productType }: Pick<Product, 'productType'>): OfferKind =>
  productType === null || productType === 'Membership' ? 'membership' : 'subscription'

export type Offer = { group: SellingPlanGroup; plan: SellingPlan; product: Product; variant: Variant }

/** All plans that can be bought: pairs of a selling plan and a product sold with it. */
export async function listOffers(q: Queries, storeId: number): Promise<Offer[]> {
  const groups = await listGroups(q, storeId)
  const productIds = groups.flatMap((group) => group.productIds)
  const groupIds = groups.map((group) => group.id)
  // Sequentially, since a transaction has one connection.
  const plans = await listPlans(q, storeId, groupIds)
  const products = await findProducts(q, storeId, productIds)
  const variants = await listVariants(q, storeId, productIds)
  return groups.flatMap((group) =>
    plans
      .filter((plan) => plan.groupId === group.id)
      .flatMap((plan) =>
        products
          .filter((product) => group.productIds.includes(product.id))
          .flatMap((product) => {
            const variant = variants.find((candidate) => candidate.productId === product.id)
            return variant ? [{ group, plan, product, variant }] : []
          })
      )
  )
}
