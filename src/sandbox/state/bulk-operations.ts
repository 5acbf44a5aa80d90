import { instant, int, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const BulkOperationRow = row({
  id: text,
  status: text,
  query: text,
  errorCode: nullable(text),
  objectCount: int,
  rootObjectCount: int,
  fileSize: nullable(int),
  createdAt: instant,
  completedAt: nullable(instant)
})
export type BulkOperation = RowOf<typeof BulkOperationRow> & { __typename: 'BulkOperation' }

const asOperation = (found: RowOf<typeof BulkOperationRow>): BulkOperation => ({
  __typename: 'BulkOperation',
  ...found
})

export async function findBulkOperation(q: Queries, storeId: number, id: string): Promise<BulkOperation | null> {
  const found = await q.maybeOne(
    BulkOperationRow,
    sql`
    select id::text as id, status, query, error_code, object_count, root_object_count, octet_length(result) as file_size,
           created_at, completed_at
      from sandbox.bulk_operations where store_id = ${storeId} and id = ${id}`
  )
  return found && asOperation(found)
}

export async function findNewestBulkOperation(q: Queries, storeId: number): Promise<BulkOperation | null> {
  const found = await q.maybeOne(
    BulkOperationRow,
    sql`
    select id::text as id, status, query, error_code, object_count, root_object_count, octet_length(result) as file_size,
           created_at, completed_at
      from sandbox.bulk_operations where store_id = ${storeId} order by bulk_operations.id desc limit 1`
  )
  return found && asOperation(found)
}

export async function countOpenBulkOperations(q: Queries, storeId: number): Promise<number> {
  const { open } = await q.one(
    row({ open: int }),
    sql`
    select count(*) as open from sandbox.bulk_operations
     where store_id = ${storeId} and status in ('CREATED', 'RUNNING')`
  )
  return open
}

export async function insertBulkOperation(q: Queries, storeId: number, query: string, now: Temporal.Instant) {
  const { id } = await q.one(
    row({ id: text }),
    sql`
    insert into sandbox.bulk_operations (store_id, status, query, created_at)
    values (${storeId}, 'CREATED', ${query}, ${now}) returning id::text as id`
  )
  return id
}

/** Takes the oldest that waits and holds it for the transaction; null when none does. */
export async function takeBulkOperation(
  q: Queries,
  storeId: number,
  now: Temporal.Instant
): Promise<BulkOperation | null> {
  const found = await q.maybeOne(
    BulkOperationRow,
    sql`
    select id::text as id, status, query, error_code, object_count, root_object_count, null::int as file_size, created_at,
           completed_at
      from sandbox.bulk_operations where store_id = ${storeId} and status = 'CREATED' and created_at <= ${now}
     order by created_at, bulk_operations.id limit 1 for update skip locked`
  )
  return found && asOperation(found)
}

export async function finishBulkOperation(
  q: Queries,
  storeId: number,
  id: string,
  to: { status: string; errorCode: string | null; objectCount: number; rootObjectCount: number; result: string | null },
  now: Temporal.Instant
) {
  await q.run(sql`
    update sandbox.bulk_operations
       set status = ${to.status}, error_code = ${to.errorCode}, object_count = ${to.objectCount},
           root_object_count = ${to.rootObjectCount}, result = ${to.result}, completed_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

/** True when it was still waiting to run. */
export async function cancelBulkOperation(q: Queries, storeId: number, id: string, now: Temporal.Instant) {
  const changed = await q.run(sql`
    update sandbox.bulk_operations set status = 'CANCELED', completed_at = ${now}
     where store_id = ${storeId} and id = ${id} and status in ('CREATED', 'RUNNING')`)
  return changed > 0
}

export async function bulkResult(q: Queries, storeId: number, id: string): Promise<string | null> {
  const found = await q.maybeOne(
    row({ result: nullable(text) }),
    sql`select result from sandbox.bulk_operations where store_id = ${storeId} and id = ${id}`
  )
  return found?.result ?? null
}
