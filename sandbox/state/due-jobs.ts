import { randomUUID } from 'node:crypto'
import { instant, json, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

/** Which discounts: these, or those that a search finds. */
export type DiscountSelection = { method: 'Code' | 'Automatic'; ids?: string[]; search?: string }
/** A code of a bulk creation, and what became of it. */
export type CodeResult = { code: string; redeemCodeId: string | null; error: string | null }

/** What a job does, and what it leaves. */
export type JobArgs = {
  'activate-discounts': DiscountSelection
  'deactivate-discounts': DiscountSelection
  'delete-discounts': DiscountSelection
  'add-codes': { discountId: string; codes: string[] }
  'delete-codes': { discountId: string }
  'count-members': { query: string; segmentId: string | null; reverse: boolean; sortKey: string | null }
}
export type JobKind = keyof JobArgs
export type JobResult = { codes?: CodeResult[]; members?: number }

const JobRow = row({
  id: text,
  token: text,
  kind: text as (value: unknown) => JobKind,
  args: json<unknown>(),
  result: nullable(json<JobResult>()),
  dueAt: nullable(instant),
  createdAt: instant
})
export type DueJob = RowOf<typeof JobRow>

export const argsOf = <K extends JobKind>(job: DueJob, _kind: K): JobArgs[K] => job.args as JobArgs[K]

/** A job that is due at once, or one that is done already. */
export async function insertDueJob<K extends JobKind>(
  q: Queries,
  storeId: number,
  { kind, args, isDone = false }: { kind: K; args: JobArgs[K]; isDone?: boolean },
  now: Temporal.Instant
): Promise<DueJob> {
  return q.one(
    JobRow,
    sql`
    insert into sandbox.due_jobs (store_id, token, kind, args, result, due_at, created_at)
    values (${storeId}, ${randomUUID()}, ${kind}, ${JSON.stringify(args)}, ${isDone ? '{}' : null}::jsonb,
            ${isDone ? null : now}::timestamptz, ${now})
    returning id::text as id, token::text as token, kind, args, result, due_at, created_at`
  )
}

export async function findDueJob(q: Queries, storeId: number, id: string): Promise<DueJob | null> {
  return q.maybeOne(
    JobRow,
    sql`
    select id::text as id, token::text as token, kind, args, result, due_at, created_at
      from sandbox.due_jobs where store_id = ${storeId} and id = ${id}`
  )
}

export async function findDueJobByToken(q: Queries, storeId: number, token: string): Promise<DueJob | null> {
  return q.maybeOne(
    JobRow,
    sql`
    select id::text as id, token::text as token, kind, args, result, due_at, created_at
      from sandbox.due_jobs where store_id = ${storeId} and token = ${token}::uuid`
  )
}

/** Locks the job that has been due longest; null if none is due. */
export async function claimDueJob(q: Queries, storeId: number, now: Temporal.Instant): Promise<DueJob | null> {
  return q.maybeOne(
    JobRow,
    sql`
    select id::text as id, token::text as token, kind, args, result, due_at, created_at
      from sandbox.due_jobs where store_id = ${storeId} and due_at <= ${now}
     order by due_at, due_jobs.id limit 1 for update skip locked`
  )
}

export async function finishDueJob(q: Queries, storeId: number, id: string, result: JobResult): Promise<void> {
  await q.run(sql`
    update sandbox.due_jobs set result = ${JSON.stringify(result)}, due_at = null where store_id = ${storeId} and id = ${id}`)
}
