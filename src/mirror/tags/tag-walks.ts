import { dueQuery, type LeaseRelease } from '#kit/engines'
import { type Ctx, directSql, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext } from '#kit/walks'

const EVERY_HOURS = 24
/** Orders whose tags changed longer ago are not walked: the platform shows an app no orders from before by default. */
export const ORDER_DAYS = 60

const TagWalk = row({ kind: oneOf('customer', 'order'), afterId: int, requests: int, failures: int, leaseToken: int })
/** A walk that this process has in hand, at its next page. */
export type TagWalk = RowOf<typeof TagWalk>

/** Where a walk goes on: null at its end. */
export type TagPlace = Pick<TagWalk, 'kind' | 'afterId'> | null

/** Begins the schedule of a store with its first tag. */
export async function scheduleTagWalk(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into tag_walks (store_id, next_at)
    values (${ctx.storeId}, statement_timestamp() + ${EVERY_HOURS} * (0.9 + 0.2 * random()) * interval '1 hour')
    on conflict (store_id) do nothing`)
}

/** Has all owners compared now. A walk that is under way begins again: what it has compared is older than the request. */
export async function walkTagsNow(ctx: Ctx): Promise<void> {
  await scheduleTagWalk(ctx)
  await ctx.tx.run(sql`
    update tag_walks
       set next_at = statement_timestamp(), kind = 'customer', after_id = 0, requests = requests + 1, failures = 0, last_error = null
     where store_id = ${ctx.storeId}`)
}

/** Counts tags that were written on the platform. */
export async function countWritten(ctx: Ctx, { added, removed }: { added: number; removed: number }): Promise<void> {
  if (added + removed === 0) return
  await ctx.tx.run(sql`
    update tag_walks set added = added + ${added}, removed = removed + ${removed} where store_id = ${ctx.storeId}`)
}

const TagTotals = row({
  added: int,
  removed: int,
  lastCompared: int,
  finishedAt: nullable(instant),
  waiting: int,
  problems: int,
  lastError: nullable(text)
})
/**
 * Tags that were added and removed on the platform so far, how many owners the last walk has compared and when it ended (real time), and
 * how many owners wait or have a problem now, and why the last walk failed where it waits to be tried again.
 */
export type TagTotals = RowOf<typeof TagTotals>

/** Of a store whose schedule has begun. */
export function findTagTotals(ctx: Ctx): Promise<TagTotals> {
  return ctx.tx.one(
    TagTotals,
    sql`
    select w.added, w.removed, w.last_compared, w.finished_at, w.last_error,
           (select count(*) from tag_owners where store_id = ${ctx.storeId} and due_at is not null) as waiting,
           (select count(*) from tag_owners where store_id = ${ctx.storeId} and problem is not null) as problems
      from tag_walks w where w.store_id = ${ctx.storeId}`
  )
}

/** When all owners are compared next (real time); null before the schedule of the store has begun. */
export async function findNextTagWalk(ctx: Ctx): Promise<Temporal.Instant | null> {
  const walk = await ctx.tx.maybeOne(
    row({ nextAt: instant }),
    sql`select next_at from tag_walks where store_id = ${ctx.storeId}`
  )
  return walk?.nextAt ?? null
}

export async function claimTagWalk(ctx: Ctx, leaseOwner: number, leaseMs: number): Promise<TagWalk | null> {
  if (ctx.isRestored) return null
  return ctx.tx.maybeOne(
    TagWalk,
    sql`
    with due as (
      select store_id from tag_walks
       where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
         and (leased_until is null or leased_until < statement_timestamp())
         for update skip locked)
    update tag_walks w
       set lease_token = w.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
           compared = case when w.kind = 'customer' and w.after_id = 0 then 0 else w.compared end,
           differed = case when w.kind = 'customer' and w.after_id = 0 then 0 else w.differed end
      from due where w.store_id = ${ctx.storeId}
    returning w.kind, w.after_id, w.requests, w.failures, w.lease_token`
  )
}

/** Extends the lease on a walk; false when another process has it. */
export async function extendTagWalk({ tx, storeId }: Ctx, walk: TagWalk, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update tag_walks set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and lease_token = ${walk.leaseToken} and lease_owner is not null`)
  return extended === 1
}

/**
 * Records a page; at the end of the walk the next one is a day later. Where somebody has asked since the page was claimed, it counts no more.
 */
export async function markTagPage(
  ctx: Ctx,
  walk: TagWalk,
  { next, compared, differed }: { next: TagPlace; compared: number; differed: number }
): Promise<void> {
  const finishedAt = next === null ? Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs) : null
  const seconds = secondsUntilNext(EVERY_HOURS * 60)
  await ctx.tx.run(sql`
    update tag_walks
       set kind = ${next?.kind ?? 'customer'}, after_id = ${next?.afterId ?? 0}, compared = compared + ${compared},
           differed = differed + ${differed}, failures = 0, last_error = null,
           last_compared = case when ${next === null}::boolean then compared + ${compared} else last_compared end,
           finished_at = coalesce(${finishedAt}, finished_at), next_at = coalesce(${finishedAt?.add({ seconds }) ?? null}, next_at)
     where store_id = ${ctx.storeId} and lease_token = ${walk.leaseToken} and requests = ${walk.requests}`)
  await letGo(ctx, walk)
}

/** Puts a walk off whose page could not be compared; it goes on there. */
export async function markTagPageFailed(ctx: Ctx, walk: TagWalk, error: string): Promise<void> {
  const failures = walk.failures + 1
  const minutes = retryMinutes(failures)
  await ctx.tx.run(sql`
    update tag_walks
       set failures = ${failures}, last_error = ${storableError(error)},
           next_at = statement_timestamp() + ${minutes} * interval '1 minute'
     where store_id = ${ctx.storeId} and lease_token = ${walk.leaseToken} and requests = ${walk.requests}`)
  await letGo(ctx, walk)
}

async function letGo({ tx, storeId }: Ctx, { leaseToken }: TagWalk): Promise<void> {
  await tx.run(sql`
    update tag_walks set lease_owner = null, leased_until = null
     where store_id = ${storeId} and lease_token = ${leaseToken}`)
}

export const dueTagWalks = dueQuery(
  'tag_walks_due',
  `select w.store_id, w.next_at as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join tag_walks w on w.store_id = s.store_id and w.next_at <= s.until
    where w.leased_until is null or w.leased_until < statement_timestamp()`
)

/** As of reconciliations: schedules are real time, so in a store whose clock is stopped that is now or never. */
export const nextTagWalkAt = directSql<[storeId: number]>(
  'next_tag_walk_at',
  `select case when w.next_at <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from tag_walks w join stores s on s.store_id = $1
    where w.store_id = $1 and (w.leased_until is null or w.leased_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseTagWalks: LeaseRelease = (owners) => sql`
  update tag_walks set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
