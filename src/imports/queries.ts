import { dueQuery, type LeaseRelease } from '#kit/engines'
import { type Ctx, directSql, instant, int, nullable, row, sql } from '#kit/postgres'
import { Import } from './import.ts'
import type { StagedRow } from './row-queries.ts'

export function insertImport(
  ctx: Ctx,
  values: Pick<Import, 'source' | 'mode' | 'pausedUntil' | 'allowDuplicates' | 'status' | 'fileSha256'> & {
    dueAt: Temporal.Instant
  }
): Promise<Import> {
  return ctx.tx.one(
    Import,
    sql`
    insert into imports (store_id, source, mode, paused_until, allow_duplicates, status, file_sha256, due_at, started_at,
                         created_at)
    values (${ctx.storeId}, ${values.source}, ${values.mode}, ${values.pausedUntil}, ${values.allowDuplicates},
            ${values.status}, ${values.fileSha256}, ${values.dueAt}, case when ${values.status} = 'fetching' then ${ctx.now}::timestamptz end, ${ctx.now})
    returning *`
  )
}

export function findImport(ctx: Ctx, id: number): Promise<Import | null> {
  return ctx.tx.maybeOne(Import, sql`select * from imports where store_id = ${ctx.storeId} and id = ${id}`)
}

export function lockImport(ctx: Ctx, id: number): Promise<Import | null> {
  return ctx.tx.maybeOne(Import, sql`select * from imports where store_id = ${ctx.storeId} and id = ${id} for update`)
}

/** The newest unfinished import of the same file with the same options; null if there is none. */
export function findOpenImport(
  ctx: Ctx,
  wanted: Pick<Import, 'source' | 'mode' | 'pausedUntil' | 'allowDuplicates' | 'fileSha256'>
): Promise<Import | null> {
  return ctx.tx.maybeOne(
    Import,
    sql`
    select * from imports
     where store_id = ${ctx.storeId} and source = ${wanted.source} and mode = ${wanted.mode}
       and paused_until is not distinct from ${wanted.pausedUntil}::timestamptz
       and file_sha256 is not distinct from ${wanted.fileSha256}::text and allow_duplicates = ${wanted.allowDuplicates}
       and status in ('receiving', 'fetching', 'running')
     order by id desc limit 1`
  )
}

/** Newest first. */
export function listImports(ctx: Ctx, limit: number): Promise<Import[]> {
  return ctx.tx.many(Import, sql`select * from imports where store_id = ${ctx.storeId} order by id desc limit ${limit}`)
}

/** Number of contracts of the import whose changes are not pushed to the platform yet. */
export async function countToPush(ctx: Ctx, importId: number, jobKind: string): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from jobs j
      join import_rows r on r.store_id = ${ctx.storeId} and r.subscription_id = j.dedupe_key::bigint
     where j.store_id = ${ctx.storeId} and j.kind = ${jobKind} and r.import_id = ${importId} and r.status = 'created'`
  )
  return count
}

/** Records how much of the file is staged, and adds its rows to the counts. */
export async function markStaged(
  ctx: Ctx,
  importId: number,
  staged: { linesRead: number; stagedSha256: string | null; columns: string[]; rows: StagedRow[] }
): Promise<void> {
  await ctx.tx.run(sql`
    update imports
       set lines_read = ${staged.linesRead}, staged_sha256 = ${staged.stagedSha256}, columns = ${staged.columns}::text[],
           total_rows = total_rows + ${staged.rows.length},
           refused_rows = refused_rows + ${staged.rows.filter((r) => r.refusal).length}
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

/** Records that every row is staged; processing starts now. */
export async function markRunning(ctx: Ctx, importId: number, fileSha256: string | null): Promise<void> {
  await ctx.tx.run(sql`
    update imports set status = 'running', file_sha256 = ${fileSha256}, due_at = ${ctx.now}, tries = 0, last_error = null,
           started_at = coalesce(started_at, ${ctx.now}::timestamptz)
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

export const nextImport = directSql<[storeId: number]>(
  'imports_next_due',
  `select min(due_at) as at from imports where store_id = $1 and due_at is not null`
)

export const dueImports = dueQuery(
  'imports_due',
  `select i.store_id, min(i.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join imports i on i.store_id = s.store_id and i.due_at <= s.until
    where i.leased_until is null or i.leased_until < statement_timestamp()
    group by i.store_id`
)

export const dueEndedImports = dueQuery(
  'imports_ended_due',
  `select i.store_id, min(i.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join imports i on i.store_id = s.store_id and i.due_at <= s.until and i.status in ('done', 'failed')
    where i.leased_until is null or i.leased_until < statement_timestamp()
    group by i.store_id`
)

export const nextEndedImport = directSql<[storeId: number]>(
  'imports_next_ended_due',
  `select min(due_at) as at from imports where store_id = $1 and due_at is not null and status in ('done', 'failed')`
)

/** Leases the import that has been due longest, for two minutes; null when none is due or others hold them all. */
export function claimImport(ctx: Ctx, leaseOwner: number): Promise<Import | null> {
  return claim(ctx, leaseOwner, ['receiving', 'fetching', 'running', 'done', 'failed', 'cancelled'])
}

/** The same for ended imports, which need nothing from the platform. */
export function claimEndedImport(ctx: Ctx, leaseOwner: number): Promise<Import | null> {
  return claim(ctx, leaseOwner, ['done', 'failed'])
}

function claim(ctx: Ctx, leaseOwner: number, statuses: Import['status'][]): Promise<Import | null> {
  return ctx.tx.maybeOne(
    Import,
    sql`
    with due as (
      select id from imports
       where store_id = ${ctx.storeId} and due_at <= ${ctx.now} and status = any(${statuses}::text[])
         and (leased_until is null or leased_until < statement_timestamp())
       order by due_at, id limit 1 for update skip locked)
    update imports i set lease_token = i.lease_token + 1, lease_owner = ${leaseOwner},
                         leased_until = statement_timestamp() + interval '2 minutes'
      from due where i.store_id = ${ctx.storeId} and i.id = due.id
    returning i.*`
  )
}

/** Locks the import and extends its lease by two minutes; false when another worker holds it now. */
export async function lockClaim(ctx: Ctx, { id, leaseToken }: Import): Promise<boolean> {
  const held = await ctx.tx.run(sql`
    update imports set leased_until = statement_timestamp() + interval '2 minutes'
     where store_id = ${ctx.storeId} and id = ${id} and lease_token = ${leaseToken} and lease_owner is not null`)
  return held === 1
}

/**
 * Locks all running imports of the store, so that no two of them create contracts at once without seeing each other's rows. Before
 * `lockClaim`, and in order of id.
 */
export async function lockRunningImports(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    select id from imports where store_id = ${ctx.storeId} and status = 'running' order by id for no key update`)
}

/** Releases the lease. `dueAt` is when the next step is due, null when nothing is left; `error` is why it is delayed. */
export async function releaseClaim(
  ctx: Ctx,
  { id, leaseToken }: Import,
  { dueAt, error }: { dueAt: Temporal.Instant | null; error: string | null }
): Promise<void> {
  await ctx.tx.run(sql`
    update imports set lease_owner = null, leased_until = null, due_at = ${dueAt}, last_error = ${error?.slice(0, 500) ?? null},
           tries = case when ${error !== null} then tries + 1 else 0 end
     where store_id = ${ctx.storeId} and id = ${id} and lease_token = ${leaseToken}`)
}

/** Ends an import. `dueAt` is when the engine handles it next, to remove the fields of its rows. */
export async function markEnded(
  ctx: Ctx,
  id: number,
  status: 'done' | 'failed' | 'cancelled',
  { dueAt, error }: { dueAt: Temporal.Instant; error: string | null }
): Promise<void> {
  await ctx.tx.run(sql`
    update imports set status = ${status}, finished_at = ${ctx.now}, due_at = ${dueAt}, lease_owner = null,
           leased_until = null, last_error = ${error?.slice(0, 500) ?? null}
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** Null: no bulk operation is under way for this import. */
export async function markBulkOperation(ctx: Ctx, importId: number, operationId: string | null): Promise<void> {
  await ctx.tx.run(sql`
    update imports set platform_bulk_operation_id = ${operationId}
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

export async function markListed(ctx: Ctx, importId: number, contracts: number): Promise<void> {
  await ctx.tx.run(sql`
    update imports set listed_contracts = ${contracts} where store_id = ${ctx.storeId} and id = ${importId}`)
}

/** Makes imports due now whose bulk operation has, or may have, ended. */
export async function wakeFetching(ctx: Ctx, operationIds: string[]): Promise<void> {
  await ctx.tx.run(sql`
    update imports set due_at = ${ctx.now}
     where store_id = ${ctx.storeId} and status = 'fetching' and due_at is not null
       and platform_bulk_operation_id = any(${operationIds}::text[])`)
}

/** When the newest import that waits for the platform's list was created; null if there is none. */
export async function fetchingSince(ctx: Ctx): Promise<Temporal.Instant | null> {
  const { at } = await ctx.tx.one(
    row({ at: nullable(instant) }),
    sql`select max(created_at) as at from imports where store_id = ${ctx.storeId} and status = 'fetching'`
  )
  return at
}

/** Discards the staged list and counts a failed operation. No row of it has been processed. */
export async function discardStaged(ctx: Ctx, importId: number): Promise<void> {
  await ctx.tx.run(sql`delete from import_rows where store_id = ${ctx.storeId} and import_id = ${importId}`)
  await ctx.tx.run(sql`
    update imports set platform_bulk_operation_id = null, failed_operations = failed_operations + 1, lines_read = 0,
                       total_rows = 0, refused_rows = 0, listed_contracts = 0
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

/** Releases what these nodes have leased, in all stores. */
export const releaseImports: LeaseRelease = (owners) => sql`
  update imports set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
