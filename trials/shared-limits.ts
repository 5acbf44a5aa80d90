import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { audit } from '#audit'
import { type Database, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { freePort, startProcess } from '../test/service-process.ts'
import { aStore, type BuiltStore } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM } from './platform.ts'

export type SharedLimitsTrial = {
  databaseUrl: string
  db: Database
  dataDir: string
  rounds: number
  /** The first so many rounds have one. */
  kills: number
  seed: number
}
export type SharedLimitsReport = {
  rounds: number
  kills: number
  admitted: number
  refused: number
  unanswered: number
}

const PROCESSES = 4
/** The limits of the tariff `starter`. */
const PER_MINUTE = 60
const PER_DAY = 10_000
const LEFT_OF_DAY = 23
/** To each process at once. */
const REQUESTS = 40
/** After a process has come back. */
const REQUESTS_AFTER = 5
const KILL_WITHIN_MS = 60

type Process = Awaited<ReturnType<typeof startProcess>>
/** A response, with the window that it shows: its limit and its end. Null: there was none. */
type Answer = { status: number; limit: number; remaining: number; window: string } | null

/**
 * In each round four processes get 40 requests each with one key at once: one store has all of its minute left, another one
 * little of its day. In rounds with a kill one process is killed with SIGKILL meanwhile and started again, and then all get some
 * more. Of each window exactly the limit must be admitted, which is also what is counted; each response must show a different
 * rest, and only requests that the dead process had admitted may lack a response. Throws otherwise, with the seed of the round.
 */
export async function shareLimits(trial: SharedLimitsTrial): Promise<SharedLimitsReport> {
  const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort))
  const start = (port: number) => startProcess({ ...trial, port, env: BESIDE_THE_PLATFORM })
  const services = await Promise.all(ports.map(start))
  const report: SharedLimitsReport = { rounds: trial.rounds, kills: 0, admitted: 0, refused: 0, unanswered: 0 }
  try {
    for (let round = 0; round < trial.rounds; round++) {
      const seed = trial.seed * 1000 + round
      const random = randomFrom(seed)
      const hasKill = round < trial.kills
      const killIn = hasKill ? (random() < 0.5 ? 'minute' : 'day') : null
      for (const window of ['minute', 'day'] as const) {
        const kill = async () => {
          await sleep(random() * KILL_WITHIN_MS)
          const killed = Math.floor(random() * PROCESSES)
          await services[killed]!.kill()
          services[killed] = await start(ports[killed]!)
          report.kills++
        }
        const answers = await inRound(trial.db, services, window, killIn === window ? kill : null).catch((err) => {
          throw new Error(`Seed ${seed}, ${window}: ${err.message}`, { cause: err })
        })
        report.admitted += answers.filter((one) => one?.status === 200).length
        report.refused += answers.filter((one) => one?.status === 429).length
        report.unanswered += answers.filter((one) => one === null).length
      }
    }
    return report
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function inRound(
  db: Database,
  services: readonly Process[],
  window: 'minute' | 'day',
  kill: (() => Promise<void>) | null
): Promise<Answer[]> {
  const store = await aStore(db, { plan: 'starter' })
  const key = await store.aKey()
  if (window === 'day') await useUpDay(store)
  const rush = (requests: number) =>
    Promise.all(services.flatMap(({ url }) => Array.from({ length: requests }, () => read(url, key))))
  const [answers] = await Promise.all([rush(REQUESTS), kill?.()])
  if (kill) answers.push(...(await rush(REQUESTS_AFTER)))

  const answered = answers.filter((one) => one !== null)
  const unanswered = answers.length - answered.length
  assert.ok(kill || unanswered === 0, `${unanswered} requests without a response`)
  const limit = window === 'minute' ? PER_MINUTE : PER_DAY
  const left = window === 'minute' ? PER_MINUTE : LEFT_OF_DAY
  const counted = await countedIn(store, window)
  // At the end of a minute, or of a day, there are two windows; each admits its limit.
  for (const [end, seen] of Map.groupBy(answered, (one) => one.window)) {
    assert.deepEqual(new Set(seen.map((one) => one.limit)), new Set([limit]))
    const admitted = seen.filter(({ status }) => status === 200)
    const rests = admitted.map(({ remaining }) => remaining).sort((a, b) => b - a)
    assert.equal(new Set(rests).size, rests.length, 'two responses show the same rest')
    assert.ok(
      rests.every((rest) => rest >= 0 && rest < left),
      `rests of ${left}: ${rests}`
    )
    if (admitted.length === seen.length) continue
    assert.ok(admitted.length <= left, `${admitted.length} of ${left} were admitted`)
    assert.ok(admitted.length + unanswered >= left, `only ${admitted.length} of ${left} were admitted`)
    assert.equal(counted.get(end), limit, 'what is counted')
  }
  assert.deepEqual((await store.inStore(audit)).findings, [])
  return answers
}

/** All of it but a rest: today, and tomorrow should that begin meanwhile. */
function useUpDay(store: BuiltStore): Promise<unknown> {
  return store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      insert into rate_windows (store_id, bucket, window_start, used)
      select ${storeId}, 'rest:day', date_trunc('day', clock_timestamp(), 'UTC') + d * interval '1 day',
             ${PER_DAY - LEFT_OF_DAY}
        from generate_series(0, 1) d`)
  )
}

/** What is counted, by the end of the window. */
function countedIn(store: BuiltStore, window: 'minute' | 'day'): Promise<Map<string, number>> {
  return store.inStore(async ({ tx, storeId }) => {
    const windows = await tx.many(
      row({ end: text, used: int }),
      sql`
      select extract(epoch from window_start + ${`1 ${window}`}::interval)::bigint::text as end, used from rate_windows
       where store_id = ${storeId} and bucket = ${`rest:${window}`}`
    )
    return new Map(windows.map(({ end, used }) => [end, used]))
  })
}

async function read(url: string, key: string): Promise<Answer> {
  try {
    const response = await request(`${url}/v1/members?limit=1`, { headers: { authorization: `Bearer ${key}` } })
    await response.body.dump()
    const { statusCode: status, headers } = response
    assert.ok(status === 200 || status === 429, `${status}`)
    return {
      status,
      limit: Number(headers['x-ratelimit-limit']),
      remaining: Number(headers['x-ratelimit-remaining']),
      window: String(headers['x-ratelimit-reset'])
    }
  } catch (err) {
    if (err instanceof assert.AssertionError) throw err
    return null
  }
}
