import { createBatcher } from './batcher.ts'
import { type Database, directSql, int, nullable, row, sql } from './postgres/index.ts'

/** How many requests a window of time may hold. Null: no end. */
export type Budget = { perMinute: number; perDay: number | null }

/** Where a request stands: the figures of the window that is nearer to the end of its budget. */
export type RateLimitStatus = {
  admitted: boolean
  limit: number
  remaining: number
  /** When that window ends, Unix seconds. */
  resetAt: number
  /** Seconds until a request can be admitted again; for a refused one. */
  retryAfter: number
}

export type RateLimiter = {
  /** Counts one request of a store in an API family, unless it is over the budget: a refused one eats nothing. */
  count(storeId: number, family: string, budget: Budget): Promise<RateLimitStatus>
  /** Removes windows that are over; returns how many. */
  prune(): Promise<number>
}

type Window = { limit: number; used: number; granted: number; resetAt: number }

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
 * always before the day, so that processes queue up and none sees the other's room as its own. `granted` is this
 * statement's own share: `used` alone cannot tell it. What the day refuses still fills the minute; that takes room from
 * nobody, since the day stays full until both windows end.
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

type Request = { storeId: number; family: string; budget: Budget }
type CountOutcome = { status: RateLimitStatus } | { failure: unknown }

/** A statement counts at most so many; the rest goes with the next. */
const MAX_TOGETHER = 1_000

/**
 * Fixed windows of a minute and of a UTC day, in real time, exact over all processes because they are counted in the
 * database. While one counting statement of a store is under way, its next requests gather and are counted together:
 * the cost is a statement per round trip, not per request.
 */
export function createRateLimiter(db: Database): RateLimiter {
  const batcher = createBatcher<string, Request, CountOutcome>({
    maxItems: MAX_TOGETHER,
    // The limit is what turns requests away, not the crowd before them.
    maxWaiting: Number.POSITIVE_INFINITY,
    work: async (_key, together) => {
      const { storeId, family, budget } = together.at(-1)!
      try {
        const statement = countRequests(storeId, family, together.length, budget.perMinute, budget.perDay)
        const statuses = statusesOf(together.length, budget, await db.direct.one(Counted, statement))
        return statuses.map((status) => ({ status }))
      } catch (failure) {
        // Told to all of them, and counted by none a second time.
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
    prune: () =>
      db.inInstallation((tx) =>
        tx.run(sql`
          delete from rate_windows
           where window_start < date_trunc('day', statement_timestamp(), 'UTC')
              or (bucket like '%:minute' and window_start < statement_timestamp() - interval '5 minutes')`)
      )
  }
}

/** The places of `wanted` requests that were counted together, the first come first. */
function statusesOf(wanted: number, budget: Budget, counted: ReturnType<typeof Counted>): RateLimitStatus[] {
  const { minuteUsed, minuteGranted, minuteReset, dayUsed, dayGranted, dayReset, nowMs } = counted
  const windows: Window[] = [
    { limit: budget.perMinute, used: minuteUsed, granted: minuteGranted, resetAt: minuteReset }
  ]
  if (budget.perDay !== null && dayUsed !== null && dayGranted !== null) {
    windows.push({ limit: budget.perDay, used: dayUsed, granted: dayGranted, resetAt: dayReset })
  }
  const granted = Math.min(...windows.map((window) => window.granted))
  return Array.from({ length: wanted }, (_, place) => {
    const admitted = place < granted
    const after = admitted ? place + 1 : granted
    return { admitted, ...nearestEnd(windows, after, nowMs) }
  })
}

/** The window with the fewest requests left once `after` of this counting are in; of equals, the one that lasts longer. */
function nearestEnd(windows: Window[], after: number, nowMs: number): Omit<RateLimitStatus, 'admitted'> {
  const shown = windows
    .map(({ limit, used, granted, resetAt }) => {
      const remaining = Math.max(0, limit - (used - granted + after))
      return { limit, remaining, resetAt, retryAfter: Math.max(1, Math.ceil(resetAt - nowMs / 1000)) }
    })
    .sort((a, b) => a.remaining - b.remaining || b.resetAt - a.resetAt)
  return shown[0]!
}
