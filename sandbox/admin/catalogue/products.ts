import { decimalOf } from '#kit/money'
import { reportProduct } from '../../outgoing/catalogue-messages.ts'
import {
  findProductIdByHandle,
  listGroups,
  type Product,
  type SellingPlanGroup,
  updateVariants,
  type Variant,
  type VariantChange
} from '../../state/products.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { numberIn } from '../../wire/gid.ts'
import { amountFrom, moneyV2 } from '../../wire/money.ts'
import { listing } from '../../wire/pages.ts'
import { userError } from '../user-errors.ts'
import { collectionsWith, productsOf } from './collections.ts'
import { changeProduct, createProduct, removeProduct, setProduct } from './save-product.ts'

const pageOfProducts = listing({
  table: 'sandbox.products',
  sorts: { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', TITLE: 'title' },
  where: `($6::jsonb->>'title_eq' is null or lower(title) = lower($6::jsonb->>'title_eq'))
               and ($6::jsonb->>'tag_eq' is null
                    or exists (select from unnest(tags) tag where lower(tag) = lower($6::jsonb->>'tag_eq')))
               and ($6::jsonb->>'status_eq' is null or lower(status) = lower($6::jsonb->>'status_eq'))
               and ($6::jsonb->>'text' is null or position(lower($6::jsonb->>'text') in lower(title)) > 0)`
})

type VariantInput = {
  id?: string | null
  price?: string | null
  compareAtPrice?: string | null
  inventoryItem?: { sku?: string | null } | null
}

async function updateManyVariants(_root: unknown, args: { productId: string; variants: VariantInput[] }, api: Api) {
  const productId = numberIn(api.shop, 'Product', args.productId)
  const product = await api.load.product.get(productId)
  const nothing = { product: null, productVariants: null }
  if (!product) {
    return { ...nothing, userErrors: [userError(['productId'], 'Product does not exist', 'PRODUCT_DOES_NOT_EXIST')] }
  }
  const known = new Set(((await api.load.variantsOf.get(productId)) ?? []).map((variant) => variant.id))
  const changes: VariantChange[] = []
  for (const [i, variant] of args.variants.entries()) {
    const id = variant.id ? numberIn(api.shop, 'ProductVariant', variant.id) : ''
    const priceMinor = variant.price == null ? null : amountFrom(variant.price, api.shop.currency)
    const at = ['variants', String(i)]
    if (!known.has(id)) {
      const missing = userError([...at, 'id'], 'Product variant does not exist', 'PRODUCT_VARIANT_DOES_NOT_EXIST')
      return { ...nothing, userErrors: [missing] }
    }
    if (variant.price != null && (priceMinor === null || priceMinor < 0)) {
      const negative = userError(
        [...at, 'price'],
        'Price must be greater than or equal to 0',
        'GREATER_THAN_OR_EQUAL_TO'
      )
      return { ...nothing, userErrors: [negative] }
    }
    const compareAtMinor = variant.compareAtPrice == null ? null : amountFrom(variant.compareAtPrice, api.shop.currency)
    if (variant.compareAtPrice != null && (compareAtMinor === null || compareAtMinor < 0)) {
      const negative = userError(
        [...at, 'compareAtPrice'],
        'Compare at price must be greater than or equal to 0',
        'GREATER_THAN_OR_EQUAL_TO'
      )
      return { ...nothing, userErrors: [negative] }
    }
    const setsCompareAt = variant.compareAtPrice !== undefined
    changes.push({ id, priceMinor, sku: variant.inventoryItem?.sku ?? null, setsCompareAt, compareAtMinor })
  }
  await api.write(async (q, now) => {
    await updateVariants(q, api.shop.storeId, changes, now)
    await reportProduct(q, api.shop, productId, 'update', now)
  })
  const variants = (await api.load.variantsOf.get(productId)) ?? []
  const changed = new Set(changes.map(({ id }) => id))
  return { product, productVariants: variants.filter(({ id }) => changed.has(id)), userErrors: [] }
}

/** The groups that offer a product, or one of its variants. */
async function groupsWith(api: Api, productId: string, variantId?: string): Promise<SellingPlanGroup[]> {
  const groups = await listGroups(api.db.direct, api.shop.storeId)
  return groups.filter(
    ({ productIds, variantIds }) =>
      productIds.includes(productId) || (variantId !== undefined && variantIds.includes(variantId))
  )
}

export const productResolvers: Resolvers = {
  QueryRoot: {
    product: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.product.get(numberIn(api.shop, 'Product', id)),
    productByIdentifier: async (
      _root: unknown,
      { identifier }: { identifier: { id?: string; handle?: string } },
      api: Api
    ) => {
      if (identifier.id) return api.load.product.get(numberIn(api.shop, 'Product', identifier.id))
      const id = identifier.handle && (await findProductIdByHandle(api.db.direct, api.shop.storeId, identifier.handle))
      return id ? api.load.product.get(id) : null
    },
    products: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfProducts(api.db.direct, api.shop.storeId, args, (ids) => api.load.product.list(ids)),
    productVariant: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.variant.get(numberIn(api.shop, 'ProductVariant', id))
  },
  Mutation: {
    productCreate: createProduct,
    productUpdate: changeProduct,
    productDelete: removeProduct,
    productSet: setProduct,
    productVariantsBulkUpdate: updateManyVariants
  },
  Product: {
    variants: async ({ id }: Product, args: PageArgs, api: Api) =>
      pageOf((await api.load.variantsOf.get(id)) ?? [], args),
    // One without variants costs nothing.
    priceRangeV2: async ({ id }: Product, _args: unknown, { load, shop }: Api) => {
      const prices = ((await load.variantsOf.get(id)) ?? []).map(({ priceMinor }) => priceMinor)
      return {
        minVariantPrice: moneyV2(prices.length === 0 ? 0 : Math.min(...prices), shop.currency),
        maxVariantPrice: moneyV2(Math.max(0, ...prices), shop.currency)
      }
    },
    descriptionHtml: ({ more }: Product) => more.descriptionHtml ?? '',
    description: ({ more }: Product) => (more.descriptionHtml ?? '').replaceAll(/<[^>]*>/g, '').trim(),
    templateSuffix: ({ more }: Product) => more.templateSuffix ?? null,
    seo: ({ more }: Product) => more.seo ?? { title: null, description: null },
    // Nothing of the sandbox is in stock or runs out.
    totalInventory: () => 0,
    tracksInventory: () => false,
    isGiftCard: () => false,
    productType: ({ productType }: Product) => productType ?? '',
    vendor: ({ vendor }: Product, _args: unknown, { shop }: Api) => vendor ?? shop.name,
    collections: async ({ id }: Product, args: PageArgs & { sortKey?: string }, api: Api) => {
      const collections = await collectionsWith(api, id)
      if (args.sortKey === 'TITLE') collections.sort((a, b) => (a.title < b.title ? -1 : 1))
      return pageOf(collections, args)
    },
    inCollection: async ({ id }: Product, args: { id: string }, api: Api) => {
      const collection = await api.load.collection.get(numberIn(api.shop, 'Collection', args.id))
      return collection !== null && (await productsOf(api, collection)).some((product) => product.id === id)
    },
    requiresSellingPlan: () => false,
    sellingPlanGroups: async ({ id }: Product, args: PageArgs, api: Api) => pageOf(await groupsWith(api, id), args),
    sellingPlanGroupsCount: async ({ id }: Product, _args: unknown, api: Api) => ({
      count: (await groupsWith(api, id)).length,
      precision: 'EXACT'
    })
  },
  ProductVariant: {
    // Nothing of the sandbox is counted, and nothing has options but a name.
    inventoryPolicy: () => 'DENY',
    inventoryQuantity: () => 0,
    barcode: () => null,
    selectedOptions: ({ title }: Variant) => [{ name: 'Title', value: title }],
    inventoryItem: ({ id, sku, requiresShipping }: Variant) => ({ id, sku, requiresShipping, tracked: false }),
    sellingPlanGroups: async ({ id, productId }: Variant, args: PageArgs, api: Api) =>
      pageOf(await groupsWith(api, productId, id), args),
    // As recorded: only those of the variant itself are counted.
    sellingPlanGroupsCount: async ({ id, productId }: Variant, _args: unknown, api: Api) => ({
      count: (await groupsWith(api, productId, id)).filter(({ variantIds }) => variantIds.includes(id)).length,
      precision: 'EXACT'
    }),
    displayName: async ({ productId, title }: Variant, _args: unknown, api: Api) =>
      `${(await api.load.product.get(productId))?.title} - ${title}`,
    compareAtPrice: ({ compareAtMinor }: Variant, _args: unknown, { shop }: Api) =>
      compareAtMinor === null ? null : decimalOf(compareAtMinor, shop.currency),
    price: ({ priceMinor }: Variant, _args: unknown, { shop }: Api) => decimalOf(priceMinor, shop.currency),
    product: ({ productId }: Variant, _args: unknown, api: Api) => api.load.product.get(productId)
  }
}
