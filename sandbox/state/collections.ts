import { instant, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'

const CollectionRow = row({
  id: text,
  title: text,
  handle: text,
  description: text,
  productIds: textList,
  updatedAt: instant
})
export type Collection = RowOf<typeof CollectionRow> & { __typename: 'Collection' }

const asCollection = (found: RowOf<typeof CollectionRow>): Collection => ({ __typename: 'Collection', ...found })

export async function findCollections(q: Queries, storeId: number, ids: string[]): Promise<Collection[]> {
  const rows = await q.many(
    CollectionRow,
    sql`
    select id::text as id, title, handle, description, product_ids::text[] as product_ids, updated_at
      from sandbox.collections where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asCollection)
}

/** All collections of the shop, oldest first. */
export async function listCollections(q: Queries, storeId: number): Promise<Collection[]> {
  const rows = await q.many(
    CollectionRow,
    sql`
    select id::text as id, title, handle, description, product_ids::text[] as product_ids, updated_at
      from sandbox.collections where store_id = ${storeId} order by collections.id`
  )
  return rows.map(asCollection)
}
