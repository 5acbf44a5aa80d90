import type { PlatformClient } from '../wire/client.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { type Page, readPage } from '../wire/pages.ts'
import { CollectionProducts } from './documents.ts'

export type CollectionsApi = {
  /**
   * The platform's numbers of the products that are in a collection, 250 a page from `after` on; null where the platform has no such
   * collection. The products of a collection with rules are those that match them now.
   */
  listProductIds(collectionId: string, after?: string | null): Promise<PlatformResult<Page<string> | null>>
}

export function createCollectionsApi(client: PlatformClient): CollectionsApi {
  return {
    listProductIds: (collectionId, after = null) =>
      client.query(CollectionProducts, { id: client.gid('Collection', collectionId), after }, (data) => {
        const collection = data.atIfAny('collection')
        return collection && readPage(collection.at('products'), (product) => product.id('id'))
      })
  }
}
