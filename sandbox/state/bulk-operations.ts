import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'

/** The script of one operation; omitted fields mean success. */
export type BulkScript = {
  /** How it ends: FAILED, CANCELED (as by the shop's staff), EXPIRED (its file is gone when it is requested). */
  status?: 'FAILED' | 'CANCELED' | 'EXPIRED'
  /** For FAILED; default: INTERNAL_SERVER_ERROR. */
  errorCode?: 'ACCESS_DENIED' | 'INTERNAL_SERVER_ERROR' | 'TIMEOUT'
  /** The number of root objects after which it ends; they are its partial result. */
  afterRoots?: number
  /** The pause after each page of a hundred, by the shop's clock. */
  stepMinutes?: number
}

/** Scripted faults of a shop's bulk operations. */
export type BulkFaults = {
  /** The most operations that may run at once; default: 5, and 1 in API versions before 2026. */
  maxAtOnce?: number
  /** The scripts of the next operations, in order; later operations succeed. */
  next?: BulkScript[]
}

export type BulkType = 'QUERY' | 'MUTATION'

const BulkOperationRow = row({
  id: text,
  type: text as (value: unknown) => BulkType,
  uploadKey: nullable(text),
  status: text,
  query: text,
  errorCode: nullable(text),
  objectCount: int,
  rootObjectCount: int,
  fileSize: nullable(int),
  script: nullable(json<BulkScript>()),
  nextPage: nullable(text),
  createdAt: instant,
  completedAt: nullable(instant)
})
export type BulkOperation = RowOf<typeof BulkOperationRow> & { __typename: 'BulkOperation' }

/** How long the file of an operation can be downloaded. */
const FILE_DAYS = 7

const asOperation = (found: RowOf<typeof BulkOperationRow>, now?: Temporal.Instant): BulkOperation => {
  const { status, completedAt } = found
  const ends = completedAt?.add({ hours: FILE_DAYS * 24 })
  const isOld = now !== undefined && ends !== undefined && Temporal.Instant.compare(now, ends) >= 0
  const isExpired = status === 'EXPIRED' || (isOld && status === 'COMPLETED')
  return {
    __typename: 'BulkOperation',
    ...found,
    status: isExpired ? 'EXPIRED' : status,
    fileSize: isExpired || isOld ? null : found.fileSize
  }
}

export async function findBulkOperation(
  q: Queries,
  storeId: number,
  id: string,
  now?: Temporal.Instant
): Promise<BulkOperation | null> {
  const found = await q.maybeOne(
    BulkOperationRow,
    sql`
    select id::text as id, type, upload_key, status, query, error_code, object_count, root_object_count, octet_length(result) as file_size, script,
           next_page, created_at, completed_at
      from sandbox.bulk_operations where store_id = ${storeId} and id = ${id}`
  )
  return found && asOperation(found, now)
}

/** The newest of a type. */
export async function findNewestBulkOperation(
  q: Queries,
  storeId: number,
  type: BulkType,
  now: Temporal.Instant
): Promise<BulkOperation | null> {
  const found = await q.maybeOne(
    BulkOperationRow,
    sql`
    select id::text as id, type, upload_key, status, query, error_code, object_count, root_object_count, octet_length(result) as file_size, script,
           next_page, created_at, completed_at
      from sandbox.bulk_operations where store_id = ${storeId} and type = ${type} order by bulk_operations.id desc limit 1`
  )
  return found && asOperation(found, now)
}

/** These operations, in no particular order. */
export async function findBulkOperations(
  q: Queries,
  storeId: number,
  ids: string[],
  now: Temporal.Instant
): Promise<BulkOperation[]> {
  const found = await q.many(
    BulkOperationRow,
    sql`
    select id::text as id, type, upload_key, status, query, error_code, object_count, root_object_count,
           octet_length(result) as file_size, script, next_page, created_at, completed_at
      from sandbox.bulk_operations where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return found.map((one) => asOperation(one, now))
}

/** The operations of a type that are not over, the oldest first, and the limit if the faults set one. */
export async function openBulkOperations(
  q: Queries,
  storeId: number,
  type: BulkType
): Promise<{ ids: string[]; max: number | null }> {
  const { ids, max } = await q.one(
    row({ ids: textList, max: nullable(int) }),
    sql`
    select array(select b.id::text from sandbox.bulk_operations b
                  where b.store_id = ${storeId} and b.type = ${type} and b.status in ('CREATED', 'RUNNING', 'CANCELING')
                  order by b.id) as ids,
           (bulk_faults->>'maxAtOnce')::int as max
      from sandbox.shops where store_id = ${storeId}`
  )
  return { ids, max }
}

/** Inserts an operation with the shop's next script, and returns its id. */
export async function insertBulkOperation(
  q: Queries,
  storeId: number,
  { type, query, uploadKey }: { type: BulkType; query: string; uploadKey: string | null },
  now: Temporal.Instant
) {
  const { id } = await q.one(
    row({ id: text }),
    sql`
    with taken as (
      select store_id, bulk_faults->'next'->0 as script from sandbox.shops where store_id = ${storeId} for update),
    used as (
      update sandbox.shops s set bulk_faults = jsonb_set(bulk_faults, '{next}', (bulk_faults->'next') - 0)
        from taken where s.store_id = taken.store_id and taken.script is not null)
    insert into sandbox.bulk_operations (store_id, type, upload_key, status, query, script, created_at, step_at)
    select ${storeId}, ${type}, ${uploadKey}, 'CREATED', ${query}, script, ${now}::timestamptz, ${now}::timestamptz from taken
    returning id::text as id`
  )
  return id
}

/** Locks the operation whose next step has been due longest; null if none is due. */
export async function claimBulkOperation(
  q: Queries,
  storeId: number,
  now: Temporal.Instant
): Promise<BulkOperation | null> {
  const found = await q.maybeOne(
    BulkOperationRow,
    sql`
    select id::text as id, type, upload_key, status, query, error_code, object_count, root_object_count, octet_length(result) as file_size, script,
           next_page, created_at, completed_at
      from sandbox.bulk_operations where store_id = ${storeId} and step_at <= ${now}
     order by step_at, bulk_operations.id limit 1 for update skip locked`
  )
  return found && asOperation(found)
}

export type BulkStep = {
  status: string
  errorCode: string | null
  objectCount: number
  rootObjectCount: number
  /** The lines that this step has read, to append to the file. */
  read: string
  nextPage: string | null
  /** Null if the operation has ended. */
  stepAt: Temporal.Instant | null
}

export async function writeBulkStep(q: Queries, storeId: number, id: string, to: BulkStep, now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.bulk_operations
       set status = ${to.status}, error_code = ${to.errorCode}, object_count = object_count + ${to.objectCount},
           root_object_count = root_object_count + ${to.rootObjectCount}, next_page = ${to.nextPage}, step_at = ${to.stepAt},
           result = case when ${to.read}::text = '' then result else coalesce(result, '') || ${to.read}::text end,
           completed_at = case when ${to.stepAt}::timestamptz is null then ${now}::timestamptz end
     where store_id = ${storeId} and id = ${id}`)
}

/** Cancels an operation, which ends with its next step; false if it had already ended. */
export async function cancelBulkOperation(q: Queries, storeId: number, id: string, now: Temporal.Instant) {
  const changed = await q.run(sql`
    update sandbox.bulk_operations set status = 'CANCELING', step_at = ${now}
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
