import { createHash } from 'node:crypto'
import { decimalOf } from '#kit/money'
import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { failed, type PlatformResult, succeeded } from '../wire/outcome.ts'
import {
  PlanPriceUpdate,
  PlanProductByHandle,
  PlanProductCreate,
  PlanSellingGroupCreate,
  ProductSellingGroups
} from './documents.ts'
import type { PlanProduct, PlanTerms } from './plan-on-sale.ts'
import { sellingPlanOf } from './selling-plan.ts'

type Product = { productId: string; variantId: string; priceMinor: number }
type SellingGroup = { sellingPlanGroupId: string; sellingPlanId: string }
type Found = { product: Product; group: SellingGroup | null }

/**
 * Creates the product that a person buys to join, its price, and the selling plan that makes the purchase a contract. The
 * handle comes from name and cadence and is also the group's merchant code: a repetition after a crash continues where it
 * stopped, and the same plan at a new price is the same product with another price.
 */
export async function createPlanProduct(
  client: PlatformClient,
  terms: PlanTerms
): Promise<PlatformResult<PlanProduct>> {
  const handle = handleOf('membership', terms)
  const found = await client.query(PlanProductByHandle, { handle }, (data) => readFound(data, handle, terms.currency))
  if (!found.ok) return found

  const product = found.value ? succeeded(found.value.product) : await createProduct(client, terms, handle)
  if (!product.ok) return product
  const { productId, variantId } = product.value

  if (!found.value || product.value.priceMinor !== terms.priceMinor) {
    const priced = await setPrice(client, product.value, terms)
    if (!priced.ok) return priced
  }

  const existing = found.value?.group
  const plan = sellingPlanOf(terms, 'variant')
  const group = existing ? succeeded(existing) : await createGroup(client, [productId], handle, terms.name, plan)
  return group.ok ? succeeded({ productId, variantId, ...group.value }) : group
}

/** Creates only the selling plan, for products that the shop already sells. A repetition finds it by the first of them. */
export async function createPlanOfProducts(
  client: PlatformClient,
  terms: PlanTerms,
  productIds: string[]
): Promise<PlatformResult<PlanProduct>> {
  const handle = handleOf('products', terms)
  const found = await client.query(ProductSellingGroups, { id: client.gid('Product', productIds[0]!) }, (data) => {
    const product = data.maybeAt('product')
    return product && { group: groupOf(product, handle) }
  })
  if (!found.ok) return found
  if (!found.value) {
    return failed({ kind: 'rejected', message: 'Product does not exist.', field: 'resources.productIds' })
  }
  const { group } = found.value
  const plan = sellingPlanOf(terms, 'plan')
  const created = group ? succeeded(group) : await createGroup(client, productIds, handle, terms.name, plan)
  return created.ok ? succeeded({ productId: null, variantId: null, ...created.value }) : created
}

/** Readable, and different for names that differ only in characters which a handle cannot have. */
function handleOf(kind: string, { name, interval, intervalCount }: PlanTerms): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
  const exact = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return [kind, readable, intervalCount, interval, exact].filter((part) => part !== '').join('-')
}

function readFound(data: Fields, handle: string, currency: string): Found | null {
  const product = data.maybeAt('productByIdentifier')
  if (!product) return null
  return { product: readProduct(product, currency), group: groupOf(product, handle) }
}

function groupOf(product: Fields, handle: string): SellingGroup | null {
  const group = product
    .at('sellingPlanGroups')
    .list('nodes')
    .find((node) => node.text('merchantCode') === handle)
  return group ? readGroup(group) : null
}

function readProduct(product: Fields, currency: string): Product {
  const variant = product.at('variants').list('nodes')[0] ?? product.refuse('variants', 'must have a variant')
  return { productId: product.id('id'), variantId: variant.id('id'), priceMinor: variant.amount('price', currency) }
}

function readGroup(group: Fields): SellingGroup {
  const plan = group.at('sellingPlans').list('nodes')[0] ?? group.refuse('sellingPlans', 'must have a plan')
  return { sellingPlanGroupId: group.id('id'), sellingPlanId: plan.id('id') }
}

function createProduct(client: PlatformClient, { name, currency }: PlanTerms, handle: string) {
  const product = { title: name, handle, productType: 'Membership', status: 'ACTIVE', requiresSellingPlan: true }
  return client.mutate(PlanProductCreate, { product }, (payload) => readProduct(payload.at('product'), currency))
}

/** The price of a membership, on the one variant of its product. */
export function setPrice(client: PlatformClient, product: Pick<Product, 'productId' | 'variantId'>, terms: PlanTerms) {
  const variant = {
    id: client.gid('ProductVariant', product.variantId),
    price: decimalOf(terms.priceMinor, terms.currency),
    inventoryItem: { requiresShipping: false, tracked: false }
  }
  const productId = client.gid('Product', product.productId)
  return client.mutate(PlanPriceUpdate, { productId, variants: [variant] }, () => null)
}

function createGroup(
  client: PlatformClient,
  productIds: string[],
  handle: string,
  name: string,
  plan: ReturnType<typeof sellingPlanOf>
) {
  return client.mutate(
    PlanSellingGroupCreate,
    {
      input: { name, merchantCode: handle, options: ['Billed'], sellingPlansToCreate: [plan] },
      resources: { productIds: productIds.map((id) => client.gid('Product', id)) }
    },
    (payload) => readGroup(payload.at('sellingPlanGroup'))
  )
}
