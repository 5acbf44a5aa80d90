import { createFlights, dueQuery, type Engine, type LeaseRelease, type Patience, throwFirst } from '../engines/index.ts'
import {
  type Ctx,
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
  runAt: instant,
  attempts: int,
  leaseToken: int,
  version: int
})
type ClaimedJob = RowOf<typeof ClaimedJob>

const BATCH = 64
/** While a call of a store hangs, its jobs run in small portions: one that hangs keeps only its own portion. */
const PORTION_WHILE_SLOW = 4
const MAX_PORTIONS = 32
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

/** Releases what these nodes have leased, in all stores. */
const releaseJobs: LeaseRelease = (owners) => sql`
  update jobs set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`

/** Runs jobs, a batch of each kind together. `jobs` lists every kind; `deps` goes to each of them. */
export function createJobEngine<Deps>(options: {
  db: Database
  leaseOwner: number
  jobs: AnyJob<Deps>[]
  deps: Deps
  patience?: Patience
}): Engine {
  const { db, leaseOwner, deps } = options
  const jobOf = new Map(options.jobs.map((job) => [job.name, job]))
  if (jobOf.size < options.jobs.length) throw new Error('Two jobs have the same name')

  const flights = createFlights<Ran>(options.patience)

  const claim = (storeId: number, limit: number) =>
    db.inStore(storeId, async ({ tx, now, isRestored }) => {
      if (isRestored) return []
      return tx.many(
        ClaimedJob,
        sql`
      with due as (
        select id from jobs
         where store_id = ${storeId} and run_at <= ${now}
           and (leased_until is null or leased_until < statement_timestamp())
         order by priority, run_at, id limit ${limit} for update skip locked)
      update jobs set lease_token = jobs.lease_token + 1, lease_owner = ${leaseOwner},
                      leased_until = statement_timestamp() + interval '2 minutes', attempts = jobs.attempts + 1
        from due where jobs.store_id = ${storeId} and jobs.id = due.id
      returning jobs.id, jobs.kind, jobs.payload, jobs.run_at, jobs.attempts, jobs.lease_token, jobs.version`
      )
    })

  const renewLease =
    (storeId: number, { id, leaseToken }: ClaimedJob) =>
    async ({ tx }: Ctx): Promise<void> => {
      const renewed = await tx.run(sql`
        update jobs set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + interval '2 minutes'
         where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}`)
      if (renewed === 0) throw new Error('Another process has the job now')
    }

  const run = async (storeId: number, kind: string, claimed: ClaimedJob[]): Promise<JobOutcome[]> => {
    const job = jobOf.get(kind)
    if (!job) return claimed.map(() => ({ done: false, reason: `No job is named ${kind}` }))
    const parsed = claimed.map((one) => parse(job, one, renewLease(storeId, one)))
    const fitting = parsed.flatMap((one) => ('input' in one ? [one] : []))
    const outcomes = fitting.length === 0 ? [] : await runAll(job, deps, storeId, fitting)
    const outcomeOf = new Map(fitting.map((one, i) => [one, outcomes[i]!]))
    return parsed.map((one) => ('input' in one ? outcomeOf.get(one)! : { done: false, reason: one.reason }))
  }

  const finish = (storeId: number, jobs: ClaimedJob[], outcomes: JobOutcome[]) =>
    db.inStore(storeId, async ({ tx, now }) => {
      const again = jobs.flatMap((job, i) => {
        const outcome = outcomes[i]!
        return outcome.done ? [] : [{ job, ...nextRun(job, outcome, now) }]
      })
      // One that was wanted again meanwhile is as its new request has left it.
      await tx.run(sql`
        with ran as (
          select * from unnest(${jobs.map((j) => j.id)}::bigint[], ${jobs.map((j) => j.leaseToken)}::int[],
                               ${jobs.map((j) => j.version)}::int[], ${outcomes.map((o) => o.done)}::boolean[])
                        as r(id, token, version, is_done)),
        wanted_again as (
          update jobs set lease_owner = null, leased_until = null from ran
           where jobs.store_id = ${storeId} and jobs.id = ran.id and jobs.lease_token = ran.token
             and jobs.version > ran.version)
        delete from jobs using ran
         where jobs.store_id = ${storeId} and jobs.id = ran.id and jobs.lease_token = ran.token
           and jobs.version = ran.version and ran.is_done`)
      await tx.run(sql`
        update jobs set run_at = a.run_at, attempts = a.attempts, last_error = a.reason, payload = a.payload::jsonb,
                        failing_since = case when a.reason is not null then coalesce(failing_since, ${now}::timestamptz) end,
                        lease_owner = null, leased_until = null
          from unnest(${again.map((a) => a.job.id)}::bigint[], ${again.map((a) => a.job.leaseToken)}::int[],
                      ${again.map((a) => a.job.version)}::int[], ${again.map((a) => a.runAt)}::timestamptz[],
                      ${again.map((a) => a.attempts)}::int[], ${again.map((a) => a.reason)}::text[],
                      ${again.map((a) => JSON.stringify(a.payload))}::text[])
                 as a(id, token, version, run_at, attempts, reason, payload)
         where jobs.store_id = ${storeId} and jobs.id = a.id and jobs.lease_token = a.token and jobs.version = a.version`)
    })

  const record = async (storeId: number): Promise<number> => {
    const ended = await flights.take(storeId)
    const ran = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
    await Promise.all(ran.map(({ jobs, outcomes }) => finish(storeId, jobs, outcomes)))
    throwFirst(ended)
    return ended.length
  }

  return {
    name: 'jobs',
    stage: 'jobs',
    releaseLeases: releaseJobs,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueJobs,
    async nextDueAt(storeId) {
      return (await db.direct.one(row({ at: nullable(instant) }), nextJob(storeId))).at
    },
    async runOnce(storeId) {
      const portion = flights.load(storeId).slow > 0 ? PORTION_WHILE_SLOW : BATCH
      const limit = Math.min(BATCH, flights.free(storeId, MAX_PORTIONS) * portion)
      const claimed = limit > 0 ? await claim(storeId, limit) : []
      const portions = [...Map.groupBy(claimed, (job) => job.kind)].flatMap(([kind, ofKind]) =>
        portionsOf(ofKind, portion).map((some) => ({ kind, jobs: some }))
      )
      flights.start(
        storeId,
        portions.map(({ kind, jobs }) => async () => ({ jobs, outcomes: await run(storeId, kind, jobs) }))
      )
      const ended = await record(storeId)
      return claimed.length || flights.load(storeId).underWay || ended
    },
    async endUnderWay(storeId) {
      while (flights.load(storeId).underWay > 0) await record(storeId)
    }
  }
}

type Ran = { jobs: ClaimedJob[]; outcomes: JobOutcome[] }

function portionsOf<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

/** What the row of a job says that is not done: when it runs next, with which payload, and why. */
function nextRun(job: ClaimedJob, outcome: Exclude<JobOutcome, { done: true }>, now: Temporal.Instant) {
  const { payload, attempts } = job
  if ('continues' in outcome) return { runAt: job.runAt, payload: outcome.input, attempts: 0, reason: null }
  const minutes = RETRY_AFTER_MINUTES[Math.min(attempts, RETRY_AFTER_MINUTES.length) - 1]!
  return outcome.waits
    ? { runAt: now.add({ minutes: Math.min(minutes, LONGEST_WAIT_MINUTES) }), payload, attempts, reason: null }
    : { runAt: now.add({ minutes }), payload, attempts, reason: outcome.reason.slice(0, 500) }
}

/** Another version of the code may have written the row: one payload that does not fit fails alone. */
function parse<Deps>(
  job: AnyJob<Deps>,
  { payload, attempts }: ClaimedJob,
  renewLease: QueuedJob<unknown>['renewLease']
): QueuedJob<unknown> | { reason: string } {
  try {
    return { input: job.parse(payload), attempts, renewLease }
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
