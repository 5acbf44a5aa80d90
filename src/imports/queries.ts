import { type Ctx, directSql, instant, int, json, nullable, type Queries, row, sql, text } from '#kit/postgres'
import { Import, type Input, OpenRow, type RowRefusal, type RowResult } from './import.ts'

export function insertImport(
  ctx: Ctx,
  made: Pick<Import, 'source' | 'mode' | 'pausedUntil' | 'status' | 'fileSha256'> & { dueAt: Temporal.Instant }
): Promise<Import> {
  return ctx.tx.one(
    Import,
    sql`
    insert into imports (store_id, source, mode, paused_until, status, file_sha256, due_at, started_at, created_at)
    values (${ctx.storeId}, ${made.source}, ${made.mode}, ${made.pausedUntil}, ${made.status}, ${made.fileSha256},
            ${made.dueAt}, case when ${made.status} = 'fetching' then ${ctx.now}::timestamptz end, ${ctx.now})
    returning *`
  )
}

export function findImport(ctx: Ctx, id: number): Promise<Import | null> {
  return ctx.tx.maybeOne(Import, sql`select * from imports where store_id = ${ctx.storeId} and id = ${id}`)
}

export function lockImport(ctx: Ctx, id: number): Promise<Import | null> {
  return ctx.tx.maybeOne(Import, sql`select * from imports where store_id = ${ctx.storeId} and id = ${id} for update`)
}

/** An import of the same file in the same way that is not over. */
export function findOpenImport(
  ctx: Ctx,
  wanted: Pick<Import, 'source' | 'mode' | 'pausedUntil' | 'fileSha256'>
): Promise<Import | null> {
  return ctx.tx.maybeOne(
    Import,
    sql`
    select * from imports
     where store_id = ${ctx.storeId} and source = ${wanted.source} and mode = ${wanted.mode}
       and paused_until is not distinct from ${wanted.pausedUntil}::timestamptz
       and file_sha256 is not distinct from ${wanted.fileSha256}::text
       and status in ('receiving', 'fetching', 'running')
     order by id desc limit 1`
  )
}

/** Newest first. */
export function listImports(ctx: Ctx, limit: number): Promise<Import[]> {
  return ctx.tx.many(Import, sql`select * from imports where store_id = ${ctx.storeId} order by id desc limit ${limit}`)
}

/** Contracts of the import that the platform has still to be told of. */
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

export type StagedRow = {
  line: number
  input: Input | null
  contractId: string | null
  externalId: string | null
  refusal: RowRefusal | null
}

/** Rows of the import that already bear one of these contracts or outer numbers; refused ones do not count. */
export function listTaken(ctx: Ctx, importId: number, rows: StagedRow[]) {
  return ctx.tx.many(
    row({ line: int, platformContractId: nullable(text), externalId: nullable(text) }),
    sql`
    select line, platform_contract_id, null::text as external_id from import_rows
     where store_id = ${ctx.storeId} and import_id = ${importId} and status <> 'refused'
       and platform_contract_id is not null
       and platform_contract_id = any(${rows.flatMap((r) => r.contractId ?? [])}::text[])
    union all
    select line, null, external_id from import_rows
     where store_id = ${ctx.storeId} and import_id = ${importId} and status <> 'refused' and external_id is not null
       and external_id = any(${rows.flatMap((r) => r.externalId ?? [])}::text[])`
  )
}

export async function insertRows(ctx: Ctx, importId: number, rows: StagedRow[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into import_rows (store_id, import_id, line, input, status, refusal_code, refusal_field, refusal_message,
      platform_contract_id, external_id)
    select ${ctx.storeId}, ${importId}, t.line, t.input::jsonb, case when t.code is null then 'waiting' else 'refused' end,
           t.code, t.field, t.message, t.contract, t.external_id
      from unnest(${rows.map((r) => r.line)}::int[], ${rows.map((r) => r.input && JSON.stringify(r.input))}::text[],
                  ${rows.map((r) => r.refusal?.code ?? null)}::text[],
                  ${rows.map((r) => r.refusal?.field ?? null)}::text[],
                  ${rows.map((r) => r.refusal?.message.slice(0, 500) ?? null)}::text[],
                  ${rows.map((r) => r.contractId)}::text[], ${rows.map((r) => r.externalId)}::text[])
             as t(line, input, code, field, message, contract, external_id)`)
}

/** Notes how far the file is read. */
export async function noteStaged(
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

/** Everything is received: the work begins. */
export async function markRunning(ctx: Ctx, importId: number, fileSha256: string | null): Promise<void> {
  await ctx.tx.run(sql`
    update imports set status = 'running', file_sha256 = ${fileSha256}, due_at = ${ctx.now}, tries = 0, last_error = null,
           started_at = coalesce(started_at, ${ctx.now}::timestamptz)
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

const nextDue = directSql<[storeId: number]>(
  'imports_next_due',
  `select min(due_at) as at from imports where store_id = $1 and due_at is not null`
)

export async function nextImportAt(direct: Queries, storeId: number): Promise<Temporal.Instant | null> {
  return (await direct.one(row({ at: nullable(instant) }), nextDue(storeId))).at
}

/** Takes the import that has been due the longest, for two minutes; null when another worker has what there is. */
export function claimImport(ctx: Ctx, leaseOwner: number): Promise<Import | null> {
  return ctx.tx.maybeOne(
    Import,
    sql`
    with due as (
      select store_id, id from imports
       where store_id = ${ctx.storeId} and due_at <= ${ctx.now}
         and (leased_until is null or leased_until < clock_timestamp())
       order by due_at, id limit 1 for update skip locked)
    update imports i set lease_token = i.lease_token + 1, lease_owner = ${leaseOwner},
                         leased_until = clock_timestamp() + interval '2 minutes'
      from due where i.store_id = due.store_id and i.id = due.id
    returning i.*`
  )
}

/** Holds the import if it is still ours, and the lease for two minutes more; false when another worker has taken it over. */
export async function holdClaim(ctx: Ctx, { id, leaseToken }: Import): Promise<boolean> {
  const held = await ctx.tx.run(sql`
    update imports set leased_until = clock_timestamp() + interval '2 minutes'
     where store_id = ${ctx.storeId} and id = ${id} and lease_token = ${leaseToken} and lease_owner is not null`)
  return held === 1
}

/** Gives the claim back. `dueAt`: when to look again; `error` is why that is later than now. */
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

/** Ends an import; `dueAt` is when it is looked at once more, to remove the fields of its rows. */
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

/**
 * The first rows that are still open, in the order of the file; not locked, since the import is. Of a cancelled
 * one only what is just being made on the platform.
 */
export function listOpenRows(ctx: Ctx, { id, status }: Import, limit: number): Promise<OpenRow[]> {
  return ctx.tx.many(
    OpenRow,
    sql`
    select line, input, status, create_key, platform_customer_id,
           coalesce(asked_at < clock_timestamp() - interval '1 minute', true) as is_quiet
      from import_rows
     where store_id = ${ctx.storeId} and import_id = ${id} and status in ('waiting', 'creating')
       and (${status} <> 'cancelled' or status = 'creating')
     order by line limit ${limit}`
  )
}

/**
 * Marks waiting rows as being made, and returns the lines of those that got their key; a key that another row has is left to
 * that one.
 */
export async function markCreating(
  ctx: Ctx,
  importId: number,
  rows: { line: number; createKey: string; customerId: string }[]
): Promise<Set<number>> {
  const marked = await ctx.tx.many(
    row({ line: int }),
    sql`
    update import_rows r set status = 'creating', create_key = t.create_key, platform_customer_id = t.customer,
                             asked_at = clock_timestamp()
      from unnest(${rows.map((r) => r.line)}::int[], ${rows.map((r) => r.createKey)}::text[],
                  ${rows.map((r) => r.customerId)}::text[]) as t(line, create_key, customer)
     where r.store_id = ${ctx.storeId} and r.import_id = ${importId} and r.line = t.line and r.status = 'waiting'
       and not exists (select from import_rows k where k.store_id = ${ctx.storeId} and k.create_key = t.create_key)
    returning r.line`
  )
  return new Set(marked.map(({ line }) => line))
}

/** The platform is asked once more for the contracts of these rows. */
export async function noteAsked(ctx: Ctx, importId: number, lines: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update import_rows set asked_at = clock_timestamp()
     where store_id = ${ctx.storeId} and import_id = ${importId} and line = any(${lines}::int[])`)
}

/** By key, what rows with it have led to. One that is still being made is left out. */
export async function findMadeBefore(
  ctx: Ctx,
  createKeys: string[]
): Promise<Map<string, { subscriptionId: number; contractId: string }>> {
  const made = await ctx.tx.many(
    row({ createKey: text, subscriptionId: int, contractId: text }),
    sql`
    select create_key, subscription_id, platform_contract_id as contract_id from import_rows
     where store_id = ${ctx.storeId} and create_key = any(${createKeys}::text[]) and subscription_id is not null`
  )
  return new Map(made.map(({ createKey, ...rest }) => [createKey, rest]))
}

/** Which of these keys are of contracts just being made. */
export async function listKeysInCreation(ctx: Ctx, createKeys: string[]): Promise<Set<string>> {
  const found = await ctx.tx.many(
    row({ createKey: text }),
    sql`
    select create_key from import_rows
     where store_id = ${ctx.storeId} and create_key = any(${createKeys}::text[]) and status = 'creating'`
  )
  return new Set(found.map(({ createKey }) => createKey))
}

export async function noteBulkOperation(ctx: Ctx, importId: number, operationId: string): Promise<void> {
  await ctx.tx.run(sql`
    update imports set platform_bulk_operation_id = ${operationId}
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

/** Has imports looked at whose bulk operation has ended, or may have. */
export async function wakeFetching(ctx: Ctx, operationIds: string[]): Promise<void> {
  await ctx.tx.run(sql`
    update imports set due_at = ${ctx.now}
     where store_id = ${ctx.storeId} and status = 'fetching' and due_at is not null
       and platform_bulk_operation_id = any(${operationIds}::text[])`)
}

/** Begins a fetched list anew: nothing of it has been worked off. */
export async function forgetStaged(ctx: Ctx, importId: number): Promise<void> {
  await ctx.tx.run(sql`delete from import_rows where store_id = ${ctx.storeId} and import_id = ${importId}`)
  await ctx.tx.run(sql`
    update imports set platform_bulk_operation_id = null, failed_operations = failed_operations + 1, lines_read = 0,
                       total_rows = 0, refused_rows = 0
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

/** Writes what became of rows and counts it. */
export async function writeResults(ctx: Ctx, importId: number, results: RowResult[]): Promise<void> {
  if (results.length === 0) return
  const refusalOf = (r: RowResult) => (r.status === 'refused' ? r.refusal : null)
  const made = (r: RowResult) => (r.status === 'refused' ? null : r)
  await ctx.tx.run(sql`
    update import_rows r
       set status = t.status, refusal_code = t.code, refusal_field = t.field, refusal_message = t.message,
           subscription_id = t.subscription_id, platform_contract_id = coalesce(t.contract, r.platform_contract_id),
           create_key = case when t.status = 'created' then r.create_key end
      from unnest(${results.map((r) => r.line)}::int[], ${results.map((r) => r.status)}::text[],
                  ${results.map((r) => refusalOf(r)?.code ?? null)}::text[],
                  ${results.map((r) => refusalOf(r)?.field ?? null)}::text[],
                  ${results.map((r) => refusalOf(r)?.message.slice(0, 500) ?? null)}::text[],
                  ${results.map((r) => made(r)?.subscriptionId ?? null)}::bigint[],
                  ${results.map((r) => made(r)?.platformContractId ?? null)}::text[])
             as t(line, status, code, field, message, subscription_id, contract)
     where r.store_id = ${ctx.storeId} and r.import_id = ${importId} and r.line = t.line
       and r.status in ('waiting', 'creating')`)
  const count = (status: RowResult['status']) => results.filter((r) => r.status === status).length
  await ctx.tx.run(sql`
    update imports set created_rows = created_rows + ${count('created')},
           unchanged_rows = unchanged_rows + ${count('unchanged')}, refused_rows = refused_rows + ${count('refused')}
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

const RefusedRow = row({
  line: int,
  input: nullable(json<Input>()),
  refusalCode: text,
  refusalField: nullable(text),
  refusalMessage: text
})

/** Refused rows after a line, in the order of the file. */
export function listRefused(ctx: Ctx, importId: number, after: number, limit: number) {
  return ctx.tx.many(
    RefusedRow,
    sql`
    select line, input, refusal_code, refusal_field, refusal_message from import_rows
     where store_id = ${ctx.storeId} and import_id = ${importId} and status = 'refused' and line > ${after}
     order by line limit ${limit}`
  )
}

/** Removes the fields of up to `limit` rows; returns of how many. */
export function pruneInput(ctx: Ctx, importId: number, limit: number): Promise<number> {
  return ctx.tx.run(sql`
    update import_rows r set input = null
      from (select line from import_rows
             where store_id = ${ctx.storeId} and import_id = ${importId} and input is not null limit ${limit}) as old
     where r.store_id = ${ctx.storeId} and r.import_id = ${importId} and r.line = old.line`)
}
