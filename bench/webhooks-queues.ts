import { Logger, makeWorkerUtils, type Runner, run } from 'graphile-worker'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { createBatcher } from '#kit/batcher'
import type { Message, Post } from './webhooks-post.ts'

/** A general job queue as the sender: takes a job, signs and posts, records the try, completes the job. */
export type QueueSender = {
  name: string
  /** Replaces all jobs with the given ones. */
  fill(messages: Message[]): Promise<void>
  /** Sends all; returns when the last try is recorded. */
  send(post: Post): Promise<void>
  /** Cleans up after `send`, untimed. */
  rest(): Promise<void>
  /** The numbers of recorded tries and deliveries, and of open jobs. */
  counts(): Promise<{ tries: number; deliveries: number; open: number }>
  /** The number of statements sent, including `begin` and `commit`. */
  sent(): number
  close(): Promise<void>
}

type Job = Message & { id: number }
type Try = { id: number; startedAt: Date; durationMs: number; code: number; text: string }

const FILL_AT_ONCE = 2_000
const MAX_CONCURRENT_TRIES = 500

/**
 * graphile-worker with the settings of its performance guide, a local queue and batched completions, in the sizes at which it was
 * fastest. More jobs are open than there are connections, since a job also waits for its try to be recorded; tries that wait are
 * recorded together.
 */
export async function graphileWorker(url: string): Promise<QueueSender> {
  const { pool, sent } = countingPool(url)
  const logger = new Logger(() => () => {})
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()
  const tries = await triesTable(pool, 'graphile_tries')
  let runner: Runner
  let all = countdown(0)

  return {
    name: 'graphile-worker',
    sent,
    async fill(messages) {
      await pool.query('truncate graphile_worker._private_jobs')
      await tries.empty()
      for (const jobs of portionsOf(messages)) {
        await utils.addJobs(jobs.map((payload) => ({ identifier: 'deliver', payload })))
      }
      await pool.query('vacuum analyze graphile_worker._private_jobs')
      all = countdown(messages.length)
    },
    async send(post) {
      const write = createBatcher({
        maxItems: MAX_CONCURRENT_TRIES,
        work: async (_lane: 'tries', finished: Try[]) => {
          await tries.insert(finished)
          return finished
        }
      })
      runner = await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        preset: {
          worker: {
            concurrentJobs: 64,
            localQueue: { size: 1_000 },
            completeJobBatchDelay: 10,
            failJobBatchDelay: 10
          }
        },
        taskList: {
          deliver: async (payload) => {
            await write('tries', await tryOnce(post, payload as Job))
            all.less(1)
          }
        }
      })
      await all.none
    },
    rest: () => runner.stop(),
    counts: () => tries.counts('graphile_worker._private_jobs'),
    async close() {
      await utils.release()
      await pool.end()
    }
  }
}

/**
 * pg-boss with two workers; each takes 500 jobs, sends them, records their tries and completes the jobs together, as many at a
 * time as graphile-worker. With larger batches it would query its table less often, but complete deliveries only after a whole
 * batch.
 */
export async function pgBoss(url: string): Promise<QueueSender> {
  const { pool, sent } = countingPool(url)
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    supervise: false,
    schedule: false
  })
  boss.on('error', (err) => {
    throw err
  })
  await boss.start()
  const tries = await triesTable(pool, 'pgboss_tries')
  const queue = 'deliveries'
  let all = countdown(0)

  return {
    name: 'pg-boss',
    sent,
    async fill(messages) {
      await boss.deleteQueue(queue)
      await boss.createQueue(queue, { partition: true })
      await tries.empty()
      for (const jobs of portionsOf(messages))
        await boss.insert(
          queue,
          jobs.map((data) => ({ data }))
        )
      // Without current statistics its fetches are planned badly, at a tenth of the rate or less.
      await pool.query('vacuum analyze pgboss.job')
      all = countdown(messages.length)
    },
    async send(post) {
      for (let i = 0; i < 2; i++) {
        const worker = await boss.work<Job>(
          queue,
          { batchSize: 500, pollingIntervalSeconds: 0.5, priority: false },
          async (jobs) => {
            await tries.insert(await Promise.all(jobs.map(({ data }) => tryOnce(post, data))))
            all.less(jobs.length)
            // Otherwise it waits half a second before it fetches more.
            boss.notifyWorker(worker)
          }
        )
      }
      await all.none
    },
    rest: () => boss.offWork(queue),
    counts: () => tries.counts(`pgboss.job where name = '${queue}' and state <> 'completed'`),
    async close() {
      await boss.stop({ graceful: false })
      await pool.end()
    }
  }
}

/** One POST within 30 s in total, as in the service; undici's own limits apply to its parts. */
async function tryOnce(post: Post, job: Job): Promise<Try> {
  const startedAt = new Date()
  const began = performance.now()
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(), 30_000)
  try {
    const response = await post(job, giveUp.signal)
    const text = (await response.body.text()).slice(0, 1024)
    return { id: job.id, startedAt, durationMs: Math.round(performance.now() - began), code: response.statusCode, text }
  } finally {
    clearTimeout(timer)
  }
}

/** A table with the columns, checks and key of the service's tries. */
async function triesTable(pool: pg.Pool, name: string) {
  await pool.query(`create table ${name} (like webhook_tries including defaults including constraints)`)
  await pool.query(`alter table ${name} add primary key (store_id, day, delivery_id, try_number)`)
  return {
    empty: () => pool.query(`truncate ${name}`),
    insert: (tries: Try[]) =>
      pool.query({
        name: `insert_${name}`,
        text: `insert into ${name}
                      (store_id, day, delivery_id, try_number, started_at, duration_ms, response_code, failure, response_text)
               select 1, (clock_timestamp() at time zone 'UTC')::date, id, 1, started_at, duration_ms, code,
                      case when code not between 200 and 299 then 'status' end, response_text
                 from unnest($1::bigint[], $2::timestamptz[], $3::int[], $4::int[], $5::text[])
                      as t(id, started_at, duration_ms, code, response_text)`,
        values: [
          tries.map((t) => t.id),
          tries.map((t) => t.startedAt),
          tries.map((t) => t.durationMs),
          tries.map((t) => t.code),
          tries.map((t) => t.text)
        ]
      }),
    async counts(openJobs: string) {
      const { rows } = await pool.query<{ tries: number; deliveries: number; open: number }>(
        `select count(*)::int as tries, count(distinct delivery_id)::int as deliveries,
                (select count(*)::int from ${openJobs}) as open
           from ${name} where failure is null`
      )
      return rows[0]!
    }
  }
}

function countingPool(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  let sent = 0
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      sent++
      return query(...args)
    }) as typeof client.query
  })
  return { pool, sent: () => sent }
}

function portionsOf(messages: Message[]): Job[][] {
  const jobs = messages.map((message, i) => ({ ...message, id: i + 1 }))
  return Array.from({ length: Math.ceil(jobs.length / FILL_AT_ONCE) }, (_, i) =>
    jobs.slice(i * FILL_AT_ONCE, (i + 1) * FILL_AT_ONCE)
  )
}

function countdown(from: number) {
  const { promise: none, resolve } = Promise.withResolvers<void>()
  let left = from
  return {
    none,
    less(by: number) {
      left -= by
      if (left === 0) resolve()
    }
  }
}
