import { createLeasedFlights, type Engine, nextDueBy, type Patience, portionsOf } from '../engines/index.ts'
import type { Database } from '../postgres/index.ts'
import { storableError } from '../storable-json.ts'
import type { AnyJob, JobOutcome, QueuedJob } from './define-job.ts'
import {
  type ClaimedJob,
  claimJobs,
  dueJobs,
  endJobs,
  extendJobLeases,
  type JobEnd,
  nextJob,
  releaseJobs,
  renewJobLease
} from './job-queries.ts'

/** Extended while the job runs; it runs out when the process stands still. */
const LEASE_MS = 120_000
const BATCH = 64
/** While a call of a store hangs, its jobs run in small portions: one that hangs keeps only its own portion. */
const PORTION_WHILE_SLOW = 4
const MAX_PORTIONS = 32
const RETRY_AFTER_MINUTES = [1, 5, 15, 60, 360] as const
const LONGEST_WAIT_MINUTES = 15

/**
 * Runs jobs, a batch of each kind together. `jobs` lists every kind; `deps` goes to each of them. Leases are kept for as long as
 * a job runs, and it is not begun twice at once.
 */
export function createJobEngine<Deps>(options: {
  db: Database
  leaseOwner: number
  jobs: AnyJob<Deps>[]
  deps: Deps
  patience?: Patience
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}): Engine {
  const { db, deps, leaseOwner, leaseMs = LEASE_MS } = options
  const jobOf = new Map(options.jobs.map((job) => [job.name, job]))
  if (jobOf.size < options.jobs.length) throw new Error('Two jobs have the same name')

  const lease = { leaseOwner, leaseMs }
  const flights = createLeasedFlights<ClaimedJob, JobOutcome[]>({
    leaseMs,
    patience: options.patience,
    extend: (storeId, jobs) => db.inStore(storeId, (ctx) => extendJobLeases(ctx, jobs, lease)),
    record: (storeId, ended) =>
      Promise.allSettled(ended.map(async ({ things, end }) => isFulfilled(end) && finish(storeId, things, end.value)))
  })

  const renewLease =
    (job: ClaimedJob): QueuedJob<unknown>['renewLease'] =>
    async (ctx) => {
      if (!(await renewJobLease(ctx, job, lease))) throw new Error('Another process has the job now')
    }

  const run = async (storeId: number, kind: string, claimed: ClaimedJob[]): Promise<JobOutcome[]> => {
    const job = jobOf.get(kind)
    if (!job) return claimed.map(() => ({ done: false, reason: `No job is named ${kind}` }))
    const parsed = claimed.map((one) => parse(job, one, renewLease(one)))
    const fitting = parsed.flatMap((one) => ('input' in one ? [one] : []))
    const outcomes = fitting.length === 0 ? [] : await runAll(job, deps, storeId, fitting)
    const outcomeOf = new Map(fitting.map((one, i) => [one, outcomes[i]!]))
    return parsed.map((one) => ('input' in one ? outcomeOf.get(one)! : { done: false, reason: one.reason }))
  }

  /** What cannot be recorded runs again when its lease is over. */
  const finish = (storeId: number, jobs: ClaimedJob[], outcomes: JobOutcome[]): Promise<void> =>
    db.inStore(storeId, (ctx) =>
      endJobs(
        ctx,
        jobs.map((job, i) => endOf(job, outcomes[i]!, ctx.now))
      )
    )

  /** Claims jobs and begins them, in portions. */
  const begin = (storeId: number, limit: number, portion: number): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const claimed = await db.inStore(storeId, (ctx) => claimJobs(ctx, { ...lease, limit, except }))
      return [...Map.groupBy(claimed, (job) => job.kind)].flatMap(([kind, ofKind]) =>
        portionsOf(ofKind, portion).map((jobs) => ({ things: jobs, work: () => run(storeId, kind, jobs) }))
      )
    })

  return {
    name: 'jobs',
    stage: 'jobs',
    releaseLeases: releaseJobs,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueJobs,
    ...nextDueBy(db, nextJob),
    async runOnce(storeId) {
      const portion = flights.load(storeId).slow > 0 ? PORTION_WHILE_SLOW : BATCH
      const limit = Math.min(BATCH, flights.free(storeId, MAX_PORTIONS) * portion)
      const claimed = limit > 0 ? await begin(storeId, limit, portion) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    endUnderWay: flights.endUnderWay,
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}

const isFulfilled = <T>(end: PromiseSettledResult<T>): end is PromiseFulfilledResult<T> => end.status === 'fulfilled'

function endOf(job: ClaimedJob, outcome: JobOutcome, now: Temporal.Instant): JobEnd {
  const { payload, attempts } = job
  if (outcome.done) return { job, next: null }
  if ('continues' in outcome) {
    return { job, next: { runAt: job.runAt, payload: outcome.input, attempts: 0, reason: null } }
  }
  const minutes = RETRY_AFTER_MINUTES[Math.min(attempts, RETRY_AFTER_MINUTES.length) - 1]!
  const next = outcome.waits
    ? { runAt: now.add({ minutes: Math.min(minutes, LONGEST_WAIT_MINUTES) }), reason: null }
    : { runAt: now.add({ minutes }), reason: storableError(outcome.reason) }
  return { job, next: { ...next, payload, attempts } }
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

/** Never rejects: an error is the outcome of all of them. */
async function runAll<Deps>(job: AnyJob<Deps>, deps: Deps, storeId: number, jobs: QueuedJob<unknown>[]) {
  try {
    const outcomes = await job.run(deps, storeId, jobs)
    if (outcomes.length === jobs.length) return outcomes
    throw new Error(`Job ${job.name} returned ${outcomes.length} outcomes for ${jobs.length} jobs`)
  } catch (err) {
    return jobs.map((): JobOutcome => ({ done: false, reason: err instanceof Error ? err.message : String(err) }))
  }
}
