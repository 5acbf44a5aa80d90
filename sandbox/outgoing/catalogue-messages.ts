import type { Queries } from '#kit/postgres'
import type { Shop } from '../shop.ts'
import { findCollections } from '../state/collections.ts'
import { findProducts, listVariants } from '../state/products.ts'
import {
  collectionDeletedPayload,
  collectionPayload,
  productDeletedPayload,
  productPayload
} from './catalogue-payloads.ts'
import { queueWebhooks, webhookMessage } from './queue-webhooks.ts'

/** Sends that a product was made, changed or deleted, with what it is then. */
export async function reportProduct(
  q: Queries,
  shop: Shop,
  id: string,
  change: 'create' | 'update' | 'delete',
  now: Temporal.Instant
): Promise<void> {
  const [product] = change === 'delete' ? [] : await findProducts(q, shop.storeId, [id])
  const payload = product
    ? productPayload(shop, product, await listVariants(q, shop.storeId, [id]))
    : productDeletedPayload(id)
  await queueWebhooks(q, shop, webhookMessage([{ topic: `products/${change}`, payload }]), now)
}

/** Sends that a collection was made, changed or deleted. */
export async function reportCollection(
  q: Queries,
  shop: Shop,
  id: string,
  change: 'create' | 'update' | 'delete',
  now: Temporal.Instant
): Promise<void> {
  const [collection] = change === 'delete' ? [] : await findCollections(q, shop.storeId, [id])
  const payload = collection ? collectionPayload(shop, collection) : collectionDeletedPayload(shop, id)
  await queueWebhooks(q, shop, webhookMessage([{ topic: `collections/${change}`, payload }]), now)
}
