import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import type { Connector } from '#platform'
import {
  type CollectionWalk,
  claimCollection,
  dueCollections,
  extendCollection,
  nextCollection,
  type ProductPage,
  putCollectionOff,
  recordProducts,
  releaseCollections
} from './collection-queries.ts'

/**
 * Reads which products are in the collections that rules name, a page at a time: when a rule begins to name one, when it or a product is
 * changed, and once a day. Orders wait until it was read once.
 */
export function createLoyaltyCollectionEngine({
  db,
  leaseOwner,
  connectorOf
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
}): Engine {
  const walkOn = createWalker<CollectionWalk, ProductPage>({
    db,
    claim: (ctx, leaseMs) => claimCollection(ctx, leaseOwner, leaseMs),
    extend: extendCollection,
    read: async (storeId, { collectionId, pageAfter }) =>
      (await connectorOf(storeId)).collections.listProductIds(collectionId, pageAfter),
    record: recordProducts,
    putOff: putCollectionOff
  })
  return {
    name: 'loyalty-collections',
    stage: 'others',
    releaseLeases: releaseCollections,
    needsPlatform: true,
    due: dueCollections,
    ...nextDueBy(db, nextCollection),
    async runOnce(storeId) {
      return (await walkOn(storeId)) ? 1 : 0
    }
  }
}
