import { createBatcher } from '#kit/batcher'
import { type Database, directSql, int, isBusy, isOutage, nullable, row, sql } from '#kit/postgres'
import type { Budget } from './budgets.ts'
import type { RateLimitStatus } from './rate-limit-status.ts'

export type RateLimiter = {
  /** Counts one request of a store in an API family. A refused request does not use up the budget. */
  count(storeId: number, family: string, budget: Budget): Promise<RateLimitStatus>
  /** How many requests are counted in the present minute, and the seconds until it ends. */
  usedThisMinute(storeId: number, family: string): Promise<{ used: number; retryAfter: number }>
  /** Deletes windows that have ended; returns their number. */
  prune(): Promise<number>
}

type Window = { window: 'minute' | 'day'; limit: number; used: number; granted: number; resetAt: number }

const Counted = row({
  minuteUsed: int,
  minuteGranted: int,
  dayUsed: nullable(int),
  dayGranted: nullable(int),
  minuteReset: int,
  dayReset: int,
  nowMs: int
})

/**
 * Counts many requests in both windows at once. Each row is locked by its upsert until the statement commits, the minute
 * always before the day, so that processes wait for each other and no two use the same remaining requests. `granted` is this
 * statement's own share, which `used` alone does not show. Requests that the day refuses still count in the minute; that
 * changes nothing, since the day stays full until both windows end.
 */
const countRequests = directSql<
  [storeId: number, family: string, wanted: number, perMinute: number, perDay: number | null]
>(
  'rate_windows_count',
  `with clock as materialized (select statement_timestamp() as now),
   minute as (
     insert into rate_windows as w (store_id, bucket, window_start, used, granted)
     select $1, $2 || ':minute', date_trunc('minute', now), least($3::int, $4::int), least($3::int, $4::int) from clock
     on conflict (store_id, bucket, window_start) do update
       set used = w.used + least($3::int, greatest(0, $4::int - w.used)),
           granted = least($3::int, greatest(0, $4::int - w.used))
     returning used, granted),
   day as (
     insert into rate_windows as w (store_id, bucket, window_start, used, granted)
     select $1, $2 || ':day', date_trunc('day', now, 'UTC'), least(granted, $5::int), least(granted, $5::int)
       from clock, minute where $5::int is not null
     on conflict (store_id, bucket, window_start) do update
       set used = w.used + least(excluded.granted, greatest(0, $5::int - w.used)),
           granted = least(excluded.granted, greatest(0, $5::int - w.used))
     returning used, granted)
   select minute.used as minute_used, minute.granted as minute_granted,
          day.used as day_used, day.granted as day_granted,
          extract(epoch from date_trunc('minute', now))::bigint + 60 as minute_reset,
          extract(epoch from date_trunc('day', now, 'UTC'))::bigint + 86400 as day_reset,
          (extract(epoch from now) * 1000)::bigint as now_ms
     from clock cross join minute left join day on true`
)

const findUsed = directSql<[storeId: number, family: string]>(
  'rate_windows_used',
  `select coalesce((select used from rate_windows
                     where store_id = $1 and bucket = $2 || ':minute'
                       and window_start = date_trunc('minute', statement_timestamp())), 0) as used,
          60 - extract(second from statement_timestamp())::int as retry_after`
)

type Request = { storeId: number; family: string; budget: Budget }
type CountOutcome = { status: RateLimitStatus } | { failure: unknown }

/** The most requests that one statement counts; the rest goes into the next. */
const MAX_TOGETHER = 1_000

/**
 * Fixed windows of a minute and of a UTC day, in real time, exact over all processes because they are counted in the
 * database. While a store's counting statement is running, its next requests wait and are counted together: the cost is one
 * statement per round trip, not per request.
 */
export function createRateLimiter(db: Database): RateLimiter {
  const batcher = createBatcher<string, Request, CountOutcome>({
    maxItems: MAX_TOGETHER,
    // Requests are refused by the rate limit only, never because many wait.
    maxWaiting: Number.POSITIVE_INFINITY,
    work: async (_key, together) => {
      const { storeId, family, budget } = together.at(-1)!
      try {
        const statement = countRequests(storeId, family, together.length, budget.perMinute, budget.perDay)
        const statuses = statusesOf(together.length, budget, await db.direct.one(Counted, statement))
        return statuses.map((status) => ({ status }))
      } catch (failure) {
        // When the database is out of reach, those that wait fail too.
        if (isOutage(failure) || isBusy(failure)) throw failure
        // Returned as an outcome, so that the batcher does not count each request again.
        return together.map(() => ({ failure }))
      }
    }
  })

  return {
    async count(storeId, family, budget) {
      const outcome = await batcher(`${storeId}:${family}`, { storeId, family, budget })
      if ('failure' in outcome) throw outcome.failure
      return outcome.status
    },
    async usedThisMinute(storeId, family) {
      const { used, retryAfter } = await db.direct.one(row({ used: int, retryAfter: int }), findUsed(storeId, family))
      return { used, retryAfter: Math.max(1, retryAfter) }
    },
    prune: () =>
      db.inInstallation((tx) =>
        tx.run(sql`
          delete from rate_windows
           where window_start < date_trunc('day', statement_timestamp(), 'UTC')
              or (bucket like '%:minute' and window_start < statement_timestamp() - interval '5 minutes')`)
      )
  }
}

/** The statuses of `wanted` requests that were counted together, in order of arrival. */
function statusesOf(wanted: number, budget: Budget, counted: ReturnType<typeof Counted>): RateLimitStatus[] {
  const { minuteUsed, minuteGranted, minuteReset, dayUsed, dayGranted, dayReset, nowMs } = counted
  const windows: Window[] = [
    { window: 'minute', limit: budget.perMinute, used: minuteUsed, granted: minuteGranted, resetAt: minuteReset }
  ]
  if (budget.perDay !== null && dayUsed !== null && dayGranted !== null) {
    windows.push({ window: 'day', limit: budget.perDay, used: dayUsed, granted: dayGranted, resetAt: dayReset })
  }
  const granted = Math.min(...windows.map((window) => window.granted))
  return Array.from({ length: wanted }, (_, place) => {
    const admitted = place < granted
    const after = admitted ? place + 1 : granted
    return { admitted, ...tightestWindow(windows, after, nowMs) }
  })
}

/** The window with the fewest requests left after `after` of these requests; if equal, the one that ends later. */
function tightestWindow(windows: Window[], after: number, nowMs: number): Omit<RateLimitStatus, 'admitted'> {
  const shown = windows
    .map(({ window, limit, used, granted, resetAt }) => {
      const remaining = Math.max(0, limit - (used - granted + after))
      return { window, limit, remaining, resetAt, retryAfter: Math.max(1, Math.ceil(resetAt - nowMs / 1000)) }
    })
    .sort((a, b) => a.remaining - b.remaining || b.resetAt - a.resetAt)
  return shown[0]!
}
