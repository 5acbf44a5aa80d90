import { createHash } from 'node:crypto'
import { decimalOf } from '#kit/money'
import type { PlatformClient } from './client.ts'
import { PlanPriceUpdate, PlanProductByHandle, PlanProductCreate, PlanSellingGroupCreate } from './documents.ts'
import type { Fields } from './fields.ts'
import { type PlatformResult, succeeded } from './outcome.ts'
import { gid, type ProfileName } from './profiles.ts'
import type { PlanProduct, PlanTerms } from './shapes.ts'

type Product = { productId: string; variantId: string; priceMinor: number }
type SellingGroup = { sellingPlanGroupId: string; sellingPlanId: string }
type Found = { product: Product; group: SellingGroup | null }

/**
 * The product that is bought when someone joins, its price, and the selling plan that makes the purchase a contract.
 * Name and rhythm make the handle, which is also the group's merchant code: repeating it after a crash goes on where it
 * stopped, and the same plan at a new price is the same product with another price. The selling plan adds no
 * pricing policy, so that the variant's price is the only place where the amount stands.
 */
export async function createPlanProduct(
  client: PlatformClient,
  profile: ProfileName,
  terms: PlanTerms
): Promise<PlatformResult<PlanProduct>> {
  const handle = handleOf(terms)
  const found = await client.query(PlanProductByHandle, { handle }, (data) => readFound(data, handle, terms.currency))
  if (!found.ok) return found

  const product = found.value ? succeeded(found.value.product) : await createProduct(client, terms, handle)
  if (!product.ok) return product
  const { productId, variantId } = product.value

  if (!found.value || product.value.priceMinor !== terms.priceMinor) {
    const priced = await setPrice(client, profile, product.value, terms)
    if (!priced.ok) return priced
  }

  const existing = found.value?.group
  const group = existing ? succeeded(existing) : await createGroup(client, profile, productId, terms, handle)
  return group.ok ? succeeded({ productId, variantId, ...group.value }) : group
}

/** Readable, and different for names that only differ in letters which a handle cannot hold. */
function handleOf({ name, interval, intervalCount }: PlanTerms): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
  const exact = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return ['membership', readable, intervalCount, interval, exact].filter((part) => part !== '').join('-')
}

function readFound(data: Fields, handle: string, currency: string): Found | null {
  const product = data.maybeAt('productByIdentifier')
  if (!product) return null
  const group = product
    .at('sellingPlanGroups')
    .list('nodes')
    .find((node) => node.text('merchantCode') === handle)
  return { product: readProduct(product, currency), group: group ? readGroup(group) : null }
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

function setPrice(client: PlatformClient, profile: ProfileName, product: Product, terms: PlanTerms) {
  const variant = {
    id: gid(profile, 'ProductVariant', product.variantId),
    price: decimalOf(terms.priceMinor, terms.currency),
    inventoryItem: { requiresShipping: false, tracked: false }
  }
  const productId = gid(profile, 'Product', product.productId)
  return client.mutate(PlanPriceUpdate, { productId, variants: [variant] }, () => null)
}

function createGroup(
  client: PlatformClient,
  profile: ProfileName,
  productId: string,
  { name, interval, intervalCount }: PlanTerms,
  handle: string
) {
  const rhythm = { recurring: { interval: interval.toUpperCase(), intervalCount } }
  const every = intervalCount === 1 ? `Every ${interval}` : `Every ${intervalCount} ${interval}s`
  const plan = { name, options: [every], category: 'SUBSCRIPTION', billingPolicy: rhythm, deliveryPolicy: rhythm }
  return client.mutate(
    PlanSellingGroupCreate,
    {
      input: { name, merchantCode: handle, options: ['Billed'], sellingPlansToCreate: [plan] },
      resources: { productIds: [gid(profile, 'Product', productId)] }
    },
    (payload) => readGroup(payload.at('sellingPlanGroup'))
  )
}
