import { defineFact } from '#kit/outbox'

/** Orders do not wait for a collection any more: it was read for the first time, or no rule names it now. */
export const loyaltyCollectionKnown = defineFact(
  'loyalty_collection.known',
  ({ collectionId }: { collectionId: string }) => ({
    // A number that JavaScript rounds is as good a key.
    orderingKey: `loyalty_collection:${Number(collectionId)}`,
    data: { collection_id: collectionId },
    refs: {}
  })
)
