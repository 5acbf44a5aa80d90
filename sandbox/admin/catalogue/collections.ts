import { type Collection, type CollectionRule, listCollections, type RuleSet } from '../../state/collections.ts'
import type { Product } from '../../state/products.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { numberIn } from '../../wire/gid.ts'
import { listing } from '../../wire/pages.ts'
import { definitionOfRule, productsByRules } from './rule-set.ts'
import {
  addProducts,
  addProductsLater,
  changeCollection,
  createCollection,
  removeCollection,
  removeProductsLater
} from './save-collection.ts'

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
  const found: Collection[] = []
  for (const one of all) if ((await productsOf(api, one)).some(({ id }) => id === productId)) found.push(one)
  return found
}

/** The products of a collection: in the order in which they were put in, or those that follow its rules. */
export async function productsOf(api: Api, { productIds, more }: Collection): Promise<Product[]> {
  return more.ruleSet ? productsByRules(api, more.ruleSet) : api.load.product.list(productIds)
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
  Mutation: {
    collectionCreate: createCollection,
    collectionUpdate: changeCollection,
    collectionDelete: removeCollection,
    collectionAddProducts: addProducts,
    collectionAddProductsV2: addProductsLater,
    collectionRemoveProducts: removeProductsLater
  },
  Collection: {
    descriptionHtml: ({ description }: Collection) => description,
    sortOrder: ({ more }: Collection) => more.sortOrder ?? 'MANUAL',
    templateSuffix: ({ more }: Collection) => more.templateSuffix ?? null,
    seo: ({ more }: Collection) => more.seo ?? { title: null, description: null },
    ruleSet: ({ more }: Collection) => more.ruleSet ?? null,
    hasProduct: async (collection: Collection, { id }: { id: string }, api: Api) => {
      const number = numberIn(api.shop, 'Product', id)
      return (await productsOf(api, collection)).some((product) => product.id === number)
    },
    products: async (collection: Collection, args: PageArgs & { sortKey?: string }, api: Api) => {
      const products = await productsOf(api, collection)
      if (args.sortKey === 'TITLE') products.sort((a, b) => (a.title < b.title ? -1 : 1))
      return pageOf(products, args)
    },
    productsCount: async (collection: Collection & { isNew?: boolean }, _args: unknown, api: Api) => ({
      count: collection.isNew ? 0 : (await productsOf(api, collection)).length,
      precision: 'EXACT'
    })
  },
  CollectionRuleSet: { rules: ({ rules }: RuleSet) => rules },
  CollectionRule: {
    conditionObject: async (rule: CollectionRule, _args: unknown, api: Api) => {
      const metafieldDefinition = await definitionOfRule(api, rule)
      return metafieldDefinition && { __typename: 'CollectionRuleMetafieldCondition', metafieldDefinition }
    }
  }
}
