import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { createPlanOfProducts, createPlanProduct } from './create-plan-product.ts'
import {
  LowestPrices,
  ProductFirstVariants,
  ProductsByIds,
  ProductTags,
  ProductTagsAndCollections,
  VariantsByIds
} from './documents.ts'
import type { PlanOnSale, PlanProduct, PlanTerms } from './plan-on-sale.ts'
import { publishPlan } from './publish-plan.ts'
import { publishProduct } from './publish-product.ts'

/** What perks look at of a product. Collections are null where they were not asked for, or are more than are read. */
export type ProductFacts = { id: string; tags: string[]; collectionIds: string[] | null }

/** `lowestMinor`: the price of its cheapest variant. */
export type PricedProduct = { id: string; title: string; lowestMinor: number }

export type ProductsApi = {
  /**
   * Creates what a person buys to join: product, price, selling plan; with `productIds` only a selling plan, for those
   * products. A repetition finds what exists already.
   */
  createPlan(terms: PlanTerms, productIds?: string[] | null): Promise<PlatformResult<PlanProduct>>
  /** Updates price, selling plan and products of a plan to these. Returns the id of its selling plan. Safe to repeat. */
  publishPlan(plan: PlanOnSale, terms: PlanTerms): Promise<PlatformResult<string>>
  /** Puts a product into every sales channel of the shop; returns into how many it was put. Safe to repeat. */
  publishProduct(productId: string): Promise<PlatformResult<number>>
  /** By variant, the id of its product; leaves out variants that the platform does not have. */
  findByVariants(variantIds: string[]): Promise<PlatformResult<Map<string, string>>>
  /** Those of the products that the platform has. */
  exist(productIds: string[]): Promise<PlatformResult<Set<string>>>
  /** By product, what its cheapest variant costs; leaves out products that the platform does not have. */
  findLowestPrices(productIds: string[], currency: string): Promise<PlatformResult<Map<string, PricedProduct>>>
  /** By product, its first variant; leaves out products that the platform does not have. */
  findFirstVariants(productIds: string[]): Promise<PlatformResult<Map<string, string>>>
  /** By product; leaves out products that the platform does not have. Collections cost more, so they are asked for. */
  findFacts(
    productIds: string[],
    options: { withCollections: boolean }
  ): Promise<PlatformResult<Map<string, ProductFacts>>>
}

export function createProductsApi(client: PlatformClient): ProductsApi {
  return {
    createPlan: (terms, productIds) =>
      productIds ? createPlanOfProducts(client, terms, productIds) : createPlanProduct(client, terms),
    publishPlan: (plan, terms) => publishPlan(client, plan, terms),
    publishProduct: (productId) => publishProduct(client, productId),
    findByVariants: (variantIds) => findByVariants(client, variantIds),
    exist: (productIds) => productsThere(client, productIds),
    findLowestPrices: (productIds, currency) => findLowestPrices(client, productIds, currency),
    findFirstVariants: (productIds) => findFirstVariants(client, productIds),
    findFacts: (productIds, { withCollections }) =>
      findByIds(client, 'Product', withCollections ? ProductTagsAndCollections : ProductTags, productIds, readFacts)
  }
}

function readFacts(product: Fields): ProductFacts {
  const collections = product.maybeAt('collections')
  const isWhole = collections !== null && !collections.at('pageInfo').flag('hasNextPage')
  return {
    id: product.id('id'),
    tags: product.texts('tags'),
    collectionIds: isWhole ? collections.list('nodes').map((one) => one.id('id')) : null
  }
}

const findLowestPrices = (client: PlatformClient, productIds: string[], currency: string) =>
  findByIds(client, 'Product', LowestPrices, productIds, (product) => ({
    id: product.id('id'),
    title: product.text('title'),
    lowestMinor: product.at('priceRangeV2').money('minVariantPrice', currency)
  }))

async function findFirstVariants(client: PlatformClient, productIds: string[]) {
  const found = await findByIds(client, 'Product', ProductFirstVariants, productIds, (product) => ({
    id: product.id('id'),
    variantIds: product
      .at('variants')
      .list('nodes')
      .map((variant) => variant.id('id'))
  }))
  return found.ok
    ? succeeded(
        new Map(
          [...found.value.values()].flatMap(({ id, variantIds: [first] }) => (first ? [[id, first] as const] : []))
        )
      )
    : found
}

async function productsThere(client: PlatformClient, productIds: string[]): Promise<PlatformResult<Set<string>>> {
  const found = await findByIds(client, 'Product', ProductsByIds, productIds, (product) => ({ id: product.id('id') }))
  return found.ok ? succeeded(new Set(found.value.keys())) : found
}

async function findByVariants(client: PlatformClient, variantIds: string[]) {
  const found = await findByIds(client, 'ProductVariant', VariantsByIds, variantIds, (variant) => ({
    id: variant.id('id'),
    productId: variant.at('product').id('id')
  }))
  return found.ok ? succeeded(new Map([...found.value.values()].map(({ id, productId }) => [id, productId]))) : found
}
