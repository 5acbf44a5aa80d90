import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, bytes, type Ctx, directSql, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext } from '#kit/walks'
import { realTimeOf } from './real-time.ts'

/** Tries of a page that fail in a row may be the fault of its cursor: after so many the pull begins anew. */
const FAILURES_UNTIL_ANEW = 4

const ClaimedPull = row({
  key: text,
  url: text,
  sealedAuthorization: nullable(bytes),
  isSandbox: bool,
  everyMinutes: int,
  pageAfter: nullable(text),
  pages: int,
  failures: int,
  leaseToken: int
})
/** A pull that this process has in hand, at its next page. */
export type ClaimedPull = RowOf<typeof ClaimedPull>

type Lease = { leaseOwner: number; leaseMs: number }

/** What a page came to: how many balances it had, how many customers' were stored, how many named nobody. */
export type PulledPage = { received: number; stored: number; unknown: number; nextCursor: string | null }

const keysOf = (pulls: ClaimedPull[]) => pulls.map(({ key }) => key)
const tokensOf = (pulls: ClaimedPull[]) => pulls.map(({ leaseToken }) => leaseToken)

/** Leases pulls that are due, each at the page that it has reached, the longest due first; none of those `except`. */
export function claimPulls(
  ctx: Ctx,
  { leaseOwner, leaseMs, limit, except }: Lease & { limit: number; except: ClaimedPull[] }
): Promise<ClaimedPull[]> {
  return ctx.tx.many(
    ClaimedPull,
    sql`
    with due as (
      select p.key from reward_pulls p
       where p.store_id = ${ctx.storeId} and p.next_at <= statement_timestamp()
         and (p.leased_until is null or p.leased_until < statement_timestamp())
         and not exists (select from unnest(${keysOf(except)}::text[], ${tokensOf(except)}::bigint[]) as mine(key, token)
                          where mine.key = p.key and mine.token = p.lease_token)
       order by p.next_at, p.key limit ${limit} for update skip locked)
    update reward_pulls p
       set lease_token = p.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
           pages = case when p.started_at is null then 0 else p.pages end,
           received = case when p.started_at is null then 0 else p.received end,
           stored = case when p.started_at is null then 0 else p.stored end,
           unknown = case when p.started_at is null then 0 else p.unknown end,
           started_at = coalesce(p.started_at, ${realTimeOf(ctx)}::timestamptz)
      from due, stores s
     where p.store_id = ${ctx.storeId} and p.key = due.key and s.store_id = ${ctx.storeId}
    returning p.key, p.url, p.sealed_authorization, s.sandbox as is_sandbox, p.every_minutes, p.page_after, p.pages, p.failures,
              p.lease_token`
  )
}

/** Extends the leases on those pulls that are still this process's, and returns these. */
export async function extendPullLeases(
  ctx: Ctx,
  pulls: ClaimedPull[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedPull[]> {
  const extended = await ctx.tx.many(
    row({ key: text }),
    sql`
    with held as (
      select p.key from reward_pulls p
        join unnest(${keysOf(pulls)}::text[], ${tokensOf(pulls)}::bigint[]) as h(key, token)
          on p.key = h.key and p.lease_token = h.token
       where p.store_id = ${ctx.storeId} for update of p skip locked)
    update reward_pulls p
       set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where p.store_id = ${ctx.storeId} and p.key = held.key
    returning p.key`
  )
  const keys = new Set(extended.map(({ key }) => key))
  return pulls.filter(({ key }) => keys.has(key))
}

/**
 * Locks a pull that this process has in hand, behind its integration, as whoever changes or removes that does. False when it was taken
 * over, begun anew or removed meanwhile: what its page came to does not count.
 */
export async function lockClaimedPull(ctx: Ctx, { key, leaseToken }: ClaimedPull): Promise<boolean> {
  await ctx.tx.many(
    row({ key: text }),
    sql`select key from reward_integrations where store_id = ${ctx.storeId} and key = ${key} for no key update`
  )
  const locked = await ctx.tx.maybeOne(
    row({ key: text }),
    sql`
    select key from reward_pulls
     where store_id = ${ctx.storeId} and key = ${key} and lease_token = ${leaseToken} for update`
  )
  return locked !== null
}

/** Records a page, and ends the lease. The next page is due at once, behind the other pulls of the store; after the last one the next pull. */
export async function markPulled(ctx: Ctx, pull: ClaimedPull, page: PulledPage): Promise<void> {
  const now = realTimeOf(ctx)
  const isOver = page.nextCursor === null
  await ctx.tx.run(sql`
    update reward_pulls
       set page_after = ${page.nextCursor}, pages = pages + 1, received = received + ${page.received},
           stored = stored + ${page.stored}, unknown = unknown + ${page.unknown}, failures = 0, last_error = null, failing_since = null,
           started_at = case when ${isOver} then null else started_at end,
           finished_at = case when ${isOver} then ${now}::timestamptz else finished_at end,
           next_at = ${isOver ? now.add({ seconds: secondsUntilNext(pull.everyMinutes) }) : now},
           lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and key = ${pull.key}`)
}

/**
 * Puts a pull off whose page did not come, and ends the lease. It goes on at that page; or, `isAnew` or when the page keeps failing, from
 * the beginning. `atLeastSeconds`: the service asked for a pause.
 */
export async function markNotPulled(
  ctx: Ctx,
  pull: ClaimedPull,
  { error, isAnew = false, atLeastSeconds = 0 }: { error: string; isAnew?: boolean; atLeastSeconds?: number }
): Promise<void> {
  const failures = pull.failures + 1
  const seconds = Math.max(retryMinutes(failures) * 60, atLeastSeconds)
  const begins = isAnew || failures % FAILURES_UNTIL_ANEW === 0
  await ctx.tx.run(sql`
    update reward_pulls
       set failures = ${failures}, last_error = ${storableError(error)},
           failing_since = coalesce(failing_since, ${realTimeOf(ctx)}::timestamptz),
           page_after = case when ${begins} then null else page_after end,
           started_at = case when ${begins} then null else started_at end,
           next_at = ${realTimeOf(ctx).add({ seconds })}, lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and key = ${pull.key}`)
}

/** Gives a pull back as it was: another process, or this one later, asks for the page. */
export async function releasePull(ctx: Ctx, { key, leaseToken }: ClaimedPull): Promise<void> {
  await ctx.tx.run(sql`
    update reward_pulls set lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and key = ${key} and lease_token = ${leaseToken}`)
}

export const dueRewardPulls = dueQuery(
  'reward_pulls_due',
  `select p.store_id, min(p.next_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join reward_pulls p on p.store_id = s.store_id and p.next_at <= s.until
    where p.leased_until is null or p.leased_until < statement_timestamp()
    group by p.store_id`
)

/**
 * When a store is next to be pulled for, in its own time: schedules are real time, so where a clock is stopped that is now or never. What is
 * under way counts.
 */
export const nextRewardPullAt = directSql<[storeId: number]>(
  'next_reward_pull_at',
  `select case when min(p.next_at) <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from reward_pulls p join stores s on s.store_id = $1
    where p.store_id = $1
    group by s.clock_at`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseRewardPulls: LeaseRelease = (owners) => sql`
  update reward_pulls set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
