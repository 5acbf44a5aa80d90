import { dueQuery, type LeaseRelease } from '../engines/index.ts'
import { type Ctx, directSql, instant, int, json, type RowOf, row, sql, text } from '../postgres/index.ts'

const ClaimedJob = row({
  id: int,
  kind: text,
  payload: json<unknown>(),
  runAt: instant,
  attempts: int,
  leaseToken: int,
  version: int
})
/** A leased job; the token of its lease tells whether another process has it by now. */
export type ClaimedJob = RowOf<typeof ClaimedJob>

/** How many jobs that wait are run at once; the others follow by themselves. */
const MAX_RETRIED = 10_000

/** Whose lease it is, and how long it lasts in real time. */
type Lease = { leaseOwner: number; leaseMs: number }

/** How a job ended, for its row: done, or when it runs next, with which payload, and why. */
export type JobEnd =
  | { job: ClaimedJob; next: null }
  | { job: ClaimedJob; next: { runAt: Temporal.Instant; attempts: number; reason: string | null; payload: unknown } }

/**
 * Leases due jobs, in the order of their priorities; none of those `except`, which this process works on. A try counts in the
 * row when its outcome is recorded: one that a process does not survive says nothing of the job.
 */
export async function claimJobs(
  { tx, storeId, now, isRestored }: Ctx,
  { leaseOwner, leaseMs, limit, except }: Lease & { limit: number; except: ClaimedJob[] }
): Promise<ClaimedJob[]> {
  if (isRestored) return []
  return tx.many(
    ClaimedJob,
    sql`
    with due as (
      select id from jobs
       where store_id = ${storeId} and run_at <= ${now}
         and (leased_until is null or leased_until < statement_timestamp())
         and id not in (select unnest(${except.map(({ id }) => id)}::bigint[]))
       order by priority, run_at, id limit ${limit} for update skip locked)
    update jobs set lease_token = jobs.lease_token + 1, lease_owner = ${leaseOwner},
                    leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from due where jobs.store_id = ${storeId} and jobs.id = due.id
    returning jobs.id, jobs.kind, jobs.payload, jobs.run_at, jobs.attempts + 1 as attempts, jobs.lease_token, jobs.version`
  )
}

/** Has the jobs that wait after a failure run now; of very many, those that were to run first. */
export async function retryJobsNow({ tx, storeId, now }: Ctx): Promise<void> {
  await tx.run(sql`
    with waiting as (
      select id from jobs
       where store_id = ${storeId} and run_at > ${now} and last_error is not null and leased_until is null
       order by run_at limit ${MAX_RETRIED} for update skip locked)
    update jobs set run_at = ${now} from waiting where jobs.store_id = ${storeId} and jobs.id = waiting.id`)
}

/** Extends the leases on those jobs that no other process has, and returns these. */
export async function extendJobLeases(
  { tx, storeId }: Ctx,
  jobs: ClaimedJob[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedJob[]> {
  // What is locked is being renewed by its own run, or claimed: waiting for several could be a deadlock.
  const extended = await tx.many(
    row({ id: int }),
    sql`
    with held as (
      select j.id from jobs j
        join unnest(${jobs.map((j) => j.id)}::bigint[], ${jobs.map((j) => j.leaseToken)}::int[]) as h(id, token)
          on j.id = h.id and j.lease_token = h.token
       where j.store_id = ${storeId} for update of j skip locked)
    update jobs set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where jobs.store_id = ${storeId} and jobs.id = held.id
    returning jobs.id`
  )
  const ids = new Set(extended.map(({ id }) => id))
  return jobs.filter(({ id }) => ids.has(id))
}

/** Extends the lease on one job and locks it until the end of the transaction; false when another process has it. */
export async function renewJobLease(
  { tx, storeId }: Ctx,
  { id, leaseToken }: ClaimedJob,
  { leaseOwner, leaseMs }: Lease
): Promise<boolean> {
  const renewed = await tx.run(sql`
    update jobs set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}`)
  return renewed === 1
}

/**
 * Deletes jobs that are done and releases the others until their next run, except those that another process has. One that was
 * wanted again meanwhile is as its new request has left it. The token rises, so that an extension which is still on its way finds nothing.
 */
export async function endJobs({ tx, storeId, now }: Ctx, ends: JobEnd[]): Promise<void> {
  // A request that commits at this moment is seen by the lock: what is decided by the statement's snapshot would miss it.
  await tx.run(sql`
    with ran as (
      select j.id, j.version = r.version as is_same, r.is_done, r.run_at, r.attempts, r.reason, r.payload
        from unnest(${ends.map((e) => e.job.id)}::bigint[], ${ends.map((e) => e.job.leaseToken)}::int[],
                    ${ends.map((e) => e.job.version)}::int[], ${ends.map((e) => e.next === null)}::boolean[],
                    ${ends.map((e) => e.next?.runAt ?? null)}::timestamptz[],
                    ${ends.map((e) => e.next?.attempts ?? null)}::int[],
                    ${ends.map((e) => e.next?.reason ?? null)}::text[],
                    ${ends.map((e) => (e.next ? JSON.stringify(e.next.payload) : null))}::text[])
               as r(id, token, version, is_done, run_at, attempts, reason, payload)
        join jobs j on j.store_id = ${storeId} and j.id = r.id and j.lease_token = r.token
         for update of j),
    done as (
      delete from jobs using ran where jobs.store_id = ${storeId} and jobs.id = ran.id and ran.is_same and ran.is_done),
    wanted_again as (
      update jobs set lease_owner = null, leased_until = null, lease_token = jobs.lease_token + 1
        from ran where jobs.store_id = ${storeId} and jobs.id = ran.id and not ran.is_same)
    update jobs set run_at = ran.run_at, attempts = ran.attempts, last_error = ran.reason, payload = ran.payload::jsonb,
                    failing_since = case when ran.reason is not null then coalesce(failing_since, ${now}::timestamptz) end,
                    lease_owner = null, leased_until = null, lease_token = jobs.lease_token + 1
      from ran where jobs.store_id = ${storeId} and jobs.id = ran.id and ran.is_same and not ran.is_done`)
}

export const nextJob = directSql<[storeId: number]>(
  'jobs_next',
  `select least((select min(run_at) from jobs where store_id = $1 and priority = 0),
                (select min(run_at) from jobs where store_id = $1 and priority = 1),
                (select min(run_at) from jobs where store_id = $1 and priority = 2)) as at`
)

export const dueJobs = dueQuery(
  'jobs_due',
  `select j.store_id, min(j.run_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join jobs j on j.store_id = s.store_id and j.priority = any('{0,1,2}') and j.run_at <= s.until
    where j.leased_until is null or j.leased_until < statement_timestamp()
    group by j.store_id`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseJobs: LeaseRelease = (owners) => sql`
  update jobs set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
