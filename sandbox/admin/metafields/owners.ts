import type { Api } from '../../wire/api.ts'
import { parseGid } from '../../wire/gid.ts'
import { findNode } from '../nodes.ts'

/** Types that can have metafields: the name in the database, and the name in the API's enum of owners. */
const OWNERS: Record<string, { stored: string; owner: string }> = {
  AppInstallation: { stored: 'AppInstallation', owner: 'API_PERMISSION' },
  Collection: { stored: 'Collection', owner: 'COLLECTION' },
  Customer: { stored: 'Customer', owner: 'CUSTOMER' },
  // A discount has three gids.
  DiscountNode: { stored: 'DiscountNode', owner: 'DISCOUNT' },
  DiscountCodeNode: { stored: 'DiscountNode', owner: 'DISCOUNT' },
  DiscountAutomaticNode: { stored: 'DiscountNode', owner: 'DISCOUNT' },
  Order: { stored: 'Order', owner: 'ORDER' },
  Product: { stored: 'Product', owner: 'PRODUCT' },
  ProductVariant: { stored: 'ProductVariant', owner: 'PRODUCTVARIANT' },
  SellingPlan: { stored: 'SellingPlan', owner: 'SELLING_PLAN' },
  Shop: { stored: 'Shop', owner: 'SHOP' }
}

/** The name of a stored type in the API's enum. */
export const ownerEnumOf = (storedType: string): string => OWNERS[storedType]?.owner ?? ''

/** The stored types of an owner in the API's enum. */
export const storedTypesOf = (owner: string): string[] => [
  ...new Set(Object.values(OWNERS).flatMap((one) => (one.owner === owner ? [one.stored] : [])))
]

export function storedOwner({ __typename, id }: { __typename: string; id: string }): string {
  return `${OWNERS[__typename]!.stored}/${id}`
}

/** `Type/id` of an owner that exists. */
export async function ownerOf(api: Api, text: string): Promise<string | null> {
  const parsed = parseGid(api.shop, text)
  const owner = parsed && OWNERS[parsed.type]
  return owner && (await findNode(api, text)) ? `${owner.stored}/${parsed.id}` : null
}
