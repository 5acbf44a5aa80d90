import { instant, json, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'

export type CollectionRule = { column: string; relation: string; condition: string; conditionObjectId?: string | null }
export type RuleSet = { appliedDisjunctively: boolean; rules: CollectionRule[] }
/** What the service does not use. */
export type CollectionMore = {
  /** The products of a collection with rules are those that follow them. */
  ruleSet?: RuleSet
  sortOrder?: string
  templateSuffix?: string | null
  seo?: { title: string | null; description: string | null }
  publications?: { id: string; at: string }[]
}

const CollectionRow = row({
  id: text,
  title: text,
  handle: text,
  description: text,
  productIds: textList,
  more: json<CollectionMore>(),
  updatedAt: instant
})
export type Collection = RowOf<typeof CollectionRow> & { __typename: 'Collection' }

const asCollection = (found: RowOf<typeof CollectionRow>): Collection => ({ __typename: 'Collection', ...found })

export async function findCollections(q: Queries, storeId: number, ids: string[]): Promise<Collection[]> {
  const rows = await q.many(
    CollectionRow,
    sql`
    select id::text as id, title, handle, description, product_ids::text[] as product_ids, more, updated_at
      from sandbox.collections where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asCollection)
}

/** All collections of the shop, oldest first. */
export async function listCollections(q: Queries, storeId: number): Promise<Collection[]> {
  const rows = await q.many(
    CollectionRow,
    sql`
    select id::text as id, title, handle, description, product_ids::text[] as product_ids, more, updated_at
      from sandbox.collections where store_id = ${storeId} order by collections.id`
  )
  return rows.map(asCollection)
}

export type CollectionFields = Pick<Collection, 'title' | 'handle' | 'description' | 'productIds' | 'more'>

/** Returns the id of the new collection. */
export async function insertCollection(
  q: Queries,
  storeId: number,
  fields: CollectionFields,
  now: Temporal.Instant
): Promise<string> {
  const { id } = await q.one(
    row({ id: text }),
    sql`
    insert into sandbox.collections (store_id, title, handle, description, product_ids, more, updated_at)
    values (${storeId}, ${fields.title}, ${fields.handle}, ${fields.description}, ${fields.productIds}::bigint[],
            ${JSON.stringify(fields.more)}, ${now})
    returning id::text as id`
  )
  return id
}

export async function updateCollection(
  q: Queries,
  storeId: number,
  id: string,
  to: CollectionFields,
  now: Temporal.Instant
) {
  await q.run(sql`
    update sandbox.collections
       set title = ${to.title}, handle = ${to.handle}, description = ${to.description},
           product_ids = ${to.productIds}::bigint[], more = ${JSON.stringify(to.more)}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

export async function deleteCollection(q: Queries, storeId: number, id: string) {
  await q.run(sql`delete from sandbox.collections where store_id = ${storeId} and id = ${id}`)
}
