import { instant, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const MetafieldRow = row({
  id: text,
  ownerType: text,
  ownerId: text,
  owner: text,
  namespace: text,
  key: text,
  type: text,
  value: text,
  createdAt: instant,
  updatedAt: instant
})
export type Metafield = RowOf<typeof MetafieldRow> & { __typename: 'Metafield' }

const asMetafield = (found: RowOf<typeof MetafieldRow>): Metafield => ({ __typename: 'Metafield', ...found })

/** The metafields of owners (given as `Type/id`), oldest first. */
export async function listMetafields(q: Queries, storeId: number, owners: string[]): Promise<Metafield[]> {
  const parts = owners.map((owner) => owner.split('/') as [string, string])
  const rows = await q.many(
    MetafieldRow,
    sql`
    select m.id::text as id, m.owner_type, m.owner_id::text as owner_id, m.owner_type || '/' || m.owner_id as owner,
           m.namespace, m.key, m.type, m.value, m.created_at, m.updated_at
      from unnest(${parts.map(([type]) => type)}::text[], ${parts.map(([, id]) => id)}::bigint[]) as asked(type, id)
      join sandbox.metafields m on m.store_id = ${storeId} and m.owner_type = asked.type and m.owner_id = asked.id
     order by m.id`
  )
  return rows.map(asMetafield)
}

export type MetafieldEntry = {
  ownerType: string
  ownerId: string
  namespace: string
  key: string
  type: string
  value: string
}

/** Writes metafields in one statement; an unchanged one keeps its `updated_at`. */
export async function saveMetafields(q: Queries, storeId: number, entries: MetafieldEntry[], now: Temporal.Instant) {
  await q.run(sql`
    insert into sandbox.metafields as m (store_id, owner_type, owner_id, namespace, key, type, value, created_at, updated_at)
    select ${storeId}, e."ownerType", e."ownerId", e.namespace, e.key, e.type, e.value, ${now}, ${now}
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
           as e("ownerType" text, "ownerId" bigint, namespace text, key text, type text, value text)
    on conflict (store_id, owner_type, owner_id, namespace, key) do update
       set type = excluded.type, value = excluded.value, updated_at = excluded.updated_at
     where m.type <> excluded.type or m.value <> excluded.value`)
}

export type MetafieldKey = Pick<MetafieldEntry, 'ownerType' | 'ownerId' | 'namespace' | 'key'>

/** Deletes metafields and returns those that existed. */
export async function deleteMetafields(q: Queries, storeId: number, keys: MetafieldKey[]): Promise<Set<string>> {
  const rows = await q.many(
    row({ name: text }),
    sql`
    delete from sandbox.metafields m
     using jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
           as k("ownerType" text, "ownerId" bigint, namespace text, key text)
     where m.store_id = ${storeId} and m.owner_type = k."ownerType" and m.owner_id = k."ownerId"
       and m.namespace = k.namespace and m.key = k.key
    returning m.owner_type || '/' || m.owner_id || '/' || m.namespace || '/' || m.key as name`
  )
  return new Set(rows.map(({ name }) => name))
}

export function nameOf({ ownerType, ownerId, namespace, key }: MetafieldKey): string {
  return `${ownerType}/${ownerId}/${namespace}/${key}`
}

/** The metafields of all owners of a type with one name, oldest first. */
export async function listMetafieldsNamed(
  q: Queries,
  storeId: number,
  ownerTypes: string[],
  namespace: string,
  key: string
): Promise<Metafield[]> {
  const rows = await q.many(
    MetafieldRow,
    sql`
    select m.id::text as id, m.owner_type, m.owner_id::text as owner_id, m.owner_type || '/' || m.owner_id as owner,
           m.namespace, m.key, m.type, m.value, m.created_at, m.updated_at
      from sandbox.metafields m
     where m.store_id = ${storeId} and m.owner_type = any(${ownerTypes}) and m.namespace = ${namespace} and m.key = ${key}
     order by m.id`
  )
  return rows.map(asMetafield)
}
