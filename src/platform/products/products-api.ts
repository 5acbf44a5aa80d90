import type { PlatformClient } from '../wire/client.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { createPlanOfProducts, createPlanProduct } from './create-plan-product.ts'
import { VariantsByIds } from './documents.ts'
import type { PlanOnSale, PlanProduct, PlanTerms } from './plan-on-sale.ts'
import { publishPlan } from './publish-plan.ts'
import { publishProduct } from './publish-product.ts'

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
}

export function createProductsApi(client: PlatformClient): ProductsApi {
  return {
    createPlan: (terms, productIds) =>
      productIds ? createPlanOfProducts(client, terms, productIds) : createPlanProduct(client, terms),
    publishPlan: (plan, terms) => publishPlan(client, plan, terms),
    publishProduct: (productId) => publishProduct(client, productId),
    findByVariants: (variantIds) => findByVariants(client, variantIds)
  }
}

async function findByVariants(client: PlatformClient, variantIds: string[]) {
  const found = await findByIds(client, 'ProductVariant', VariantsByIds, variantIds, (variant) => ({
    id: variant.id('id'),
    productId: variant.at('product').id('id')
  }))
  return found.ok ? succeeded(new Map([...found.value.values()].map(({ id, productId }) => [id, productId]))) : found
}
