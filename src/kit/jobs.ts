import type { Engine } from './engine.ts'
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
} from './postgres/index.ts'

const Job = row({
  id: int,
  kind: text,
  payload: json<Record<string, unknown>>(),
  attempts: int,
  leaseToken: int,
  version: int
})
export type Job = RowOf<typeof Job>

/**
 * What one run of a job came to: done with, or to be tried again because of `reason`. One that `waits` for something else has
 * not failed, and is tried again within minutes.
 */
export type JobOutcome = { done: true } | { done: false; reason: string; waits?: true }

/** Jobs of one kind, run together. The answer has an outcome per job, in order. A throw is a bug, and retried too. */
export type JobHandler = (storeId: number, jobs: Job[]) => Promise<JobOutcome[]>

const BATCH = 64
const RETRY_AFTER_MINUTES = [1, 5, 15, 60, 360] as const
const LONGEST_WAIT_MINUTES = 15

/**
 * Puts a job beside the change that wants it, in the same transaction. A waiting job of the same kind and key is moved
 * forward instead, since a job reads what is true when it runs.
 */
export async function enqueue(
  ctx: Ctx,
  kind: string,
  jobs: { key: string; payload: Record<string, unknown> }[]
): Promise<void> {
  if (jobs.length === 0) return
  await ctx.tx.run(sql`
    insert into jobs (store_id, kind, dedupe_key, payload, run_at)
    select ${ctx.storeId}, ${kind}, j.key, j.payload::jsonb, ${ctx.now}
      from unnest(${jobs.map((j) => j.key)}::text[], ${jobs.map((j) => JSON.stringify(j.payload))}::text[]) as j(key, payload)
    on conflict (store_id, kind, dedupe_key) do update
      set payload = excluded.payload, run_at = least(jobs.run_at, excluded.run_at), attempts = 0, version = jobs.version + 1`)
}

const nextJob = directSql<[storeId: number]>('jobs_next', `select min(run_at) as at from jobs where store_id = $1`)

/** Works off jobs by kind; `handlers` is the whole list of kinds. */
export function createJobEngine(options: {
  db: Database
  leaseOwner: number
  handlers: Record<string, JobHandler>
}): Engine {
  const { db, leaseOwner, handlers } = options

  const claim = (storeId: number) =>
    db.inStore(storeId, ({ tx, now }) =>
      tx.many(
        Job,
        sql`
      with due as (
        select store_id, id from jobs
         where store_id = ${storeId} and run_at <= ${now}
           and (leased_until is null or leased_until < clock_timestamp())
         order by run_at, id limit ${BATCH} for update skip locked)
      update jobs set lease_token = jobs.lease_token + 1, lease_owner = ${leaseOwner},
                      leased_until = clock_timestamp() + interval '2 minutes', attempts = jobs.attempts + 1
        from due where jobs.store_id = due.store_id and jobs.id = due.id
      returning jobs.id, jobs.kind, jobs.payload, jobs.attempts, jobs.lease_token, jobs.version`
      )
    )

  const run = async (storeId: number, kind: string, jobs: Job[]): Promise<JobOutcome[]> => {
    const handler = handlers[kind]
    if (!handler) return jobs.map(() => ({ done: false, reason: `Nothing handles jobs of kind ${kind}` }))
    try {
      return await handler(storeId, jobs)
    } catch (err) {
      return jobs.map(() => ({ done: false, reason: (err as Error).message }))
    }
  }

  const finish = (storeId: number, jobs: Job[], outcomes: JobOutcome[]) =>
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
    async nextDueAt(storeId) {
      return (await db.direct.one(row({ at: nullable(instant) }), nextJob(storeId))).at
    },
    async runOnce(storeId) {
      const jobs = await claim(storeId)
      const kinds = Map.groupBy(jobs, (job) => job.kind)
      await Promise.all(
        [...kinds].map(async ([kind, ofKind]) => finish(storeId, ofKind, await run(storeId, kind, ofKind)))
      )
      return jobs.length
    }
  }
}

/** Which of these keys have a job of the kind still to be done. */
export async function waitingKeys(ctx: Ctx, kind: string, keys: string[]): Promise<Set<string>> {
  const rows = await ctx.tx.many(
    row({ dedupeKey: text }),
    sql`
    select dedupe_key from jobs
     where store_id = ${ctx.storeId} and kind = ${kind} and dedupe_key = any(${keys}::text[])`
  )
  return new Set(rows.map((r) => r.dedupeKey))
}
