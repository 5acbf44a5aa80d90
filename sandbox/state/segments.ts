import { instant, int, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const SegmentRow = row({ id: text, name: text, query: text, createdAt: instant, updatedAt: instant })
export type Segment = RowOf<typeof SegmentRow> & { __typename: 'Segment' }

const asSegment = (found: RowOf<typeof SegmentRow>): Segment => ({ __typename: 'Segment', ...found })

export async function findSegments(q: Queries, storeId: number, ids: string[]): Promise<Segment[]> {
  const rows = await q.many(
    SegmentRow,
    sql`
    select id::text as id, name, query, created_at, updated_at
      from sandbox.segments where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asSegment)
}

export async function countSegments(q: Queries, storeId: number): Promise<number> {
  const { count } = await q.one(
    row({ count: int }),
    sql`select count(*) as count from sandbox.segments where store_id = ${storeId}`
  )
  return count
}

type Fields = Pick<Segment, 'name' | 'query'>

export async function insertSegment(q: Queries, storeId: number, { name, query }: Fields, now: Temporal.Instant) {
  const found = await q.one(
    SegmentRow,
    sql`
    insert into sandbox.segments (store_id, name, query, created_at, updated_at)
    values (${storeId}, ${name}, ${query}, ${now}, ${now})
    returning id::text as id, name, query, created_at, updated_at`
  )
  return asSegment(found)
}

export async function updateSegment(
  q: Queries,
  storeId: number,
  id: string,
  { name, query }: Fields,
  now: Temporal.Instant
) {
  await q.run(sql`
    update sandbox.segments set name = ${name}, query = ${query}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

export async function deleteSegment(q: Queries, storeId: number, id: string): Promise<void> {
  await q.run(sql`delete from sandbox.segments where store_id = ${storeId} and id = ${id}`)
}
