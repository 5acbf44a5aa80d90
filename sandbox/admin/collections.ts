import { type Collection, listCollections } from '../state/collections.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn } from '../wire/gid.ts'
import { listing } from '../wire/pages.ts'

const pageOfCollections = listing({
  table: 'sandbox.collections',
  sorts: { UPDATED_AT: 'updated_at', TITLE: 'title' },
  where: `($6::jsonb->>'title_eq' is null or lower(title) = lower($6::jsonb->>'title_eq'))
               and ($6::jsonb->>'handle_eq' is null or handle = $6::jsonb->>'handle_eq')
               and ($6::jsonb->>'text' is null or position(lower($6::jsonb->>'text') in lower(title)) > 0)`
})

/** The collections that a product is in, oldest first. */
export async function collectionsWith(api: Api, productId: string): Promise<Collection[]> {
  const all = await listCollections(api.db.direct, api.shop.storeId)
  return all.filter(({ productIds }) => productIds.includes(productId))
}

type Identifier = { id?: string; handle?: string }

export const collectionResolvers: Resolvers = {
  QueryRoot: {
    collection: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.collection.get(numberIn(api.shop, 'Collection', id)),
    collectionByIdentifier: async (_root: unknown, { identifier }: { identifier: Identifier }, api: Api) => {
      if (identifier.id) return api.load.collection.get(numberIn(api.shop, 'Collection', identifier.id))
      const all = await listCollections(api.db.direct, api.shop.storeId)
      return all.find(({ handle }) => handle === identifier.handle) ?? null
    },
    collections: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfCollections(api.db.direct, api.shop.storeId, args, (ids) => api.load.collection.list(ids))
  },
  Collection: {
    descriptionHtml: ({ description }: Collection) => description,
    sortOrder: () => 'MANUAL',
    hasProduct: ({ productIds }: Collection, { id }: { id: string }, { shop }: Api) =>
      productIds.includes(numberIn(shop, 'Product', id)),
    products: async ({ productIds }: Collection, args: PageArgs, api: Api) =>
      pageOf(await api.load.product.list(productIds), args),
    productsCount: ({ productIds }: Collection) => ({ count: productIds.length, precision: 'EXACT' })
  }
}
