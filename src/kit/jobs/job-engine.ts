import { dueQuery, type Engine } from '../engines/index.ts'
import {
  type Database,
  directSql,
  instant,
  int,
  json,
  nullable,
  type RowOf,
  row,
  sql,
  text
} from '../postgres/index.ts'
import type { AnyJob, JobOutcome, QueuedJob } from './define-job.ts'

const ClaimedJob = row({
  id: int,
  kind: text,
  payload: json<unknown>(),
  attempts: int,
  leaseToken: int,
  version: int
})
type ClaimedJob = RowOf<typeof ClaimedJob>

const BATCH = 64
const RETRY_AFTER_MINUTES = [1, 5, 15, 60, 360] as const
const LONGEST_WAIT_MINUTES = 15

const nextJob = directSql<[storeId: number]>(
  'jobs_next',
  `select least((select min(run_at) from jobs where store_id = $1 and priority = 0),
                (select min(run_at) from jobs where store_id = $1 and priority = 1),
                (select min(run_at) from jobs where store_id = $1 and priority = 2)) as at`
)

const dueJobs = dueQuery(
  'jobs_due',
  `select j.store_id, min(j.run_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join jobs j on j.store_id = s.store_id and j.priority = any('{0,1,2}') and j.run_at <= s.until
    where j.leased_until is null or j.leased_until < statement_timestamp()
    group by j.store_id`
)

/** Runs jobs, a batch of each kind together. `jobs` lists every kind; `deps` goes to each of them. */
export function createJobEngine<Deps>(options: {
  db: Database
  leaseOwner: number
  jobs: AnyJob<Deps>[]
  deps: Deps
}): Engine {
  const { db, leaseOwner, deps } = options
  const jobOf = new Map(options.jobs.map((job) => [job.name, job]))
  if (jobOf.size < options.jobs.length) throw new Error('Two jobs have the same name')

  const claim = (storeId: number) =>
    db.inStore(storeId, ({ tx, now }) =>
      tx.many(
        ClaimedJob,
        sql`
      with due as (
        select id from jobs
         where store_id = ${storeId} and run_at <= ${now}
           and (leased_until is null or leased_until < statement_timestamp())
         order by priority, run_at, id limit ${BATCH} for update skip locked)
      update jobs set lease_token = jobs.lease_token + 1, lease_owner = ${leaseOwner},
                      leased_until = statement_timestamp() + interval '2 minutes', attempts = jobs.attempts + 1
        from due where jobs.store_id = ${storeId} and jobs.id = due.id
      returning jobs.id, jobs.kind, jobs.payload, jobs.attempts, jobs.lease_token, jobs.version`
      )
    )

  const run = async (storeId: number, kind: string, claimed: ClaimedJob[]): Promise<JobOutcome[]> => {
    const job = jobOf.get(kind)
    if (!job) return claimed.map(() => ({ done: false, reason: `No job is named ${kind}` }))
    const parsed = claimed.map(({ payload, attempts }) => parse(job, payload, attempts))
    const fitting = parsed.flatMap((one) => ('input' in one ? [one] : []))
    const outcomes = fitting.length === 0 ? [] : await runAll(job, deps, storeId, fitting)
    const outcomeOf = new Map(fitting.map((one, i) => [one, outcomes[i]!]))
    return parsed.map((one) => ('input' in one ? outcomeOf.get(one)! : { done: false, reason: one.reason }))
  }

  const finish = (storeId: number, jobs: ClaimedJob[], outcomes: JobOutcome[]) =>
    db.inStore(storeId, async ({ tx, now }) => {
      const done = jobs.filter((_, i) => outcomes[i]!.done)
      const again = jobs.flatMap((job, i) => {
        const outcome = outcomes[i]!
        if (outcome.done) return []
        const minutes = RETRY_AFTER_MINUTES[Math.min(job.attempts, RETRY_AFTER_MINUTES.length) - 1]!
        return [
          outcome.waits
            ? { job, reason: null, runAt: now.add({ minutes: Math.min(minutes, LONGEST_WAIT_MINUTES) }) }
            : { job, reason: outcome.reason.slice(0, 500), runAt: now.add({ minutes }) }
        ]
      })
      await tx.run(sql`
        with ended as (
          select * from unnest(${done.map((j) => j.id)}::bigint[], ${done.map((j) => j.leaseToken)}::int[],
                               ${done.map((j) => j.version)}::int[]) as e(id, token, version)),
        wanted_again as (
          update jobs set lease_owner = null, leased_until = null from ended
           where jobs.store_id = ${storeId} and jobs.id = ended.id and jobs.lease_token = ended.token
             and jobs.version > ended.version)
        delete from jobs using ended
         where jobs.store_id = ${storeId} and jobs.id = ended.id and jobs.lease_token = ended.token
           and jobs.version = ended.version`)
      await tx.run(sql`
        update jobs set run_at = a.run_at, last_error = a.reason, lease_owner = null, leased_until = null
          from unnest(${again.map((a) => a.job.id)}::bigint[], ${again.map((a) => a.job.leaseToken)}::int[],
                      ${again.map((a) => a.runAt)}::timestamptz[], ${again.map((a) => a.reason)}::text[]) as a(id, token, run_at, reason)
         where jobs.store_id = ${storeId} and jobs.id = a.id and jobs.lease_token = a.token`)
    })

  return {
    name: 'jobs',
    needsPlatform: true,
    due: dueJobs,
    async nextDueAt(storeId) {
      return (await db.direct.one(row({ at: nullable(instant) }), nextJob(storeId))).at
    },
    async runOnce(storeId) {
      const claimed = await claim(storeId)
      const kinds = Map.groupBy(claimed, (job) => job.kind)
      await Promise.all(
        [...kinds].map(async ([kind, ofKind]) => finish(storeId, ofKind, await run(storeId, kind, ofKind)))
      )
      return claimed.length
    }
  }
}

/** Another version of the code may have written the row: one payload that does not fit fails alone. */
function parse<Deps>(job: AnyJob<Deps>, payload: unknown, attempts: number): QueuedJob<unknown> | { reason: string } {
  try {
    return { input: job.parse(payload), attempts }
  } catch (err) {
    return { reason: (err as Error).message }
  }
}

async function runAll<Deps>(job: AnyJob<Deps>, deps: Deps, storeId: number, jobs: QueuedJob<unknown>[]) {
  try {
    return await job.run(deps, storeId, jobs)
  } catch (err) {
    return jobs.map((): JobOutcome => ({ done: false, reason: (err as Error).message }))
  }
}
