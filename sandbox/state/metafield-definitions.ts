import { json, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

export type DefinitionAccess = { admin: string; storefront: string; customerAccount: string }
export type DefinitionMore = {
  description?: string | null
  validations?: { name: string; value: string }[]
  /** The capabilities that are switched on, by their name in the API. */
  capabilities?: string[]
  constraints?: string[]
  pinnedPosition?: number
}
const DefinitionRow = row({
  id: text,
  ownerType: text,
  namespace: text,
  key: text,
  name: text,
  typeName: text,
  access: json<DefinitionAccess>(),
  more: json<DefinitionMore>()
})
export type Definition = RowOf<typeof DefinitionRow> & { __typename: 'MetafieldDefinition' }
export type DefinitionFields = Omit<Definition, '__typename' | 'id'>

const asDefinition = (found: RowOf<typeof DefinitionRow>): Definition => ({
  __typename: 'MetafieldDefinition',
  ...found
})

/** All definitions of the shop, oldest first: there are a few dozen. */
export async function listDefinitions(q: Queries, storeId: number): Promise<Definition[]> {
  const rows = await q.many(
    DefinitionRow,
    sql`
    select id::text as id, owner_type, namespace, key, name, type as type_name, access, more
      from sandbox.metafield_definitions where store_id = ${storeId} order by metafield_definitions.id`
  )
  return rows.map(asDefinition)
}

/** Null if a definition with that owner type, namespace and key exists. */
export async function insertDefinition(
  q: Queries,
  storeId: number,
  fields: DefinitionFields
): Promise<Definition | null> {
  const found = await q.maybeOne(
    DefinitionRow,
    sql`
    insert into sandbox.metafield_definitions (store_id, owner_type, namespace, key, name, type, access, more)
    values (${storeId}, ${fields.ownerType}, ${fields.namespace}, ${fields.key}, ${fields.name}, ${fields.typeName},
            ${JSON.stringify(fields.access)}, ${JSON.stringify(fields.more)})
    on conflict (store_id, owner_type, namespace, key) do nothing
    returning id::text as id, owner_type, namespace, key, name, type as type_name, access, more`
  )
  return found && asDefinition(found)
}

export async function updateDefinition(
  q: Queries,
  storeId: number,
  id: string,
  to: Pick<DefinitionFields, 'name' | 'access' | 'more'>
) {
  await q.run(sql`
    update sandbox.metafield_definitions
       set name = ${to.name}, access = ${JSON.stringify(to.access)}, more = ${JSON.stringify(to.more)}
     where store_id = ${storeId} and id = ${id}`)
}

export async function deleteDefinition(q: Queries, storeId: number, id: string) {
  await q.run(sql`delete from sandbox.metafield_definitions where store_id = ${storeId} and id = ${id}`)
}
