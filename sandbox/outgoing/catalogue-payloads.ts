import { decimalOf } from '#kit/money'
import type { Shop } from '../shop.ts'
import type { Collection } from '../state/collections.ts'
import type { Product, Variant } from '../state/products.ts'
import { formsOf, number } from './json.ts'

/** The body of products/create and update. */
export function productPayload(shop: Shop, product: Product, variants: Variant[]) {
  const form = formsOf(shop)
  const gidOf = (variant: Variant) => form.gid('ProductVariant', variant.id)
  return {
    admin_graphql_api_id: form.gid('Product', product.id),
    body_html: product.more.descriptionHtml ?? '',
    created_at: form.at(product.createdAt),
    handle: product.handle,
    id: number(product.id),
    product_type: product.productType ?? '',
    published_at: form.at(product.createdAt),
    template_suffix: product.more.templateSuffix ?? null,
    title: product.title,
    updated_at: form.at(product.updatedAt),
    vendor: product.vendor ?? shop.name,
    status: product.status.toLowerCase(),
    published_scope: 'web',
    tags: product.tags.join(', '),
    variants: variants.map((variant) => ({
      admin_graphql_api_id: gidOf(variant),
      barcode: null,
      compare_at_price: variant.compareAtMinor === null ? null : decimalOf(variant.compareAtMinor, shop.currency),
      created_at: form.at(variant.createdAt),
      id: number(variant.id),
      inventory_policy: 'deny',
      position: variant.position,
      price: decimalOf(variant.priceMinor, shop.currency),
      product_id: number(product.id),
      sku: variant.sku,
      taxable: variant.taxable,
      title: variant.title,
      updated_at: form.at(variant.updatedAt),
      option1: variant.title,
      option2: null,
      option3: null,
      image_id: null,
      inventory_item_id: null,
      inventory_quantity: 0,
      old_inventory_quantity: 0
    })),
    options: [],
    images: [],
    image: null,
    media: [],
    variant_gids: variants.map((variant) => ({
      admin_graphql_api_id: gidOf(variant),
      updated_at: variant.updatedAt.toString({ smallestUnit: 'millisecond' })
    })),
    has_variants_that_requires_components: false,
    category: null
  }
}

/** The body of products/delete, which has only the id. */
export const productDeletedPayload = (id: string) => ({ id: number(id) })

/** The body of collections/create and update, which says nothing of the products in it. */
export function collectionPayload(shop: Shop, collection: Collection) {
  const form = formsOf(shop)
  return {
    id: number(collection.id),
    handle: collection.handle,
    title: collection.title,
    updated_at: form.at(collection.updatedAt),
    body_html: collection.description,
    published_at: form.at(collection.updatedAt),
    sort_order: collection.more.sortOrder?.toLowerCase() ?? null,
    template_suffix: collection.more.templateSuffix ?? null,
    published_scope: 'web',
    admin_graphql_api_id: form.gid('Collection', collection.id)
  }
}

/** The body of collections/delete. */
export const collectionDeletedPayload = (shop: Shop, id: string) => ({
  id: number(id),
  published_scope: 'web',
  admin_graphql_api_id: formsOf(shop).gid('Collection', id)
})
