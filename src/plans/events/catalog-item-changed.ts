import { defineFact } from '#kit/outbox'

/** A product or a collection of the shop was made, changed or deleted there, by its number on the platform. */
export type CatalogChange = {
  kind: 'product' | 'collection'
  platformId: string
  change: 'created' | 'updated' | 'deleted'
}

export const catalogItemChanged = defineFact('catalog_item.changed', (changed: CatalogChange) => ({
  // A number that JavaScript rounds is as good a key: two items would come in one order.
  orderingKey: `${changed.kind}:${Number(changed.platformId)}`,
  data: changed
}))
