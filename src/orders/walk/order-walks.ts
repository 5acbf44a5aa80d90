import { dueQuery, type LeaseRelease } from '#kit/engines'
import { type Ctx, directSql, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext } from '#kit/walks'

const KINDS = ['recent', 'import'] as const

/** How often the recent changes are read. */
const EVERY_MINUTES = 15
/** A page that does not come so often in a row may be the fault of the place in the list: the walk begins anew. */
const FAILURES_UNTIL_NEW_WALK = 4

export const OrderWalk = row({
  kind: oneOf(...KINDS),
  /** Real time, also where the store has a test clock; null when it is not to run. */
  nextAt: nullable(instant),
  cursorAt: instant,
  seen: int,
  changed: int,
  failures: int,
  lastError: nullable(text),
  finishedAt: nullable(instant)
})
export type OrderWalk = RowOf<typeof OrderWalk>

const Walk = row({
  kind: oneOf(...KINDS),
  cursorAt: instant,
  startedAt: instant,
  pageAfter: nullable(text),
  failures: int,
  leaseToken: int
})
/** A walk that this process has in hand, at its next page. */
export type Walk = RowOf<typeof Walk>

/** What a page came to, and where it ended. `after` is null on the last. */
export type WalkedPage = { seen: number; changed: number; after: string | null }

/** Begins the schedule of a store that has none: what is there now is known, or is imported. */
export async function scheduleOrderWalk(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into order_walks (store_id, kind, next_at, cursor_at)
    values (${ctx.storeId}, 'recent', statement_timestamp() + ${EVERY_MINUTES} * interval '1 minute', ${ctx.now})
    on conflict (store_id, kind) do nothing`)
}

/** Has the recent changes read now, and an import that waits to be tried again go on. */
export async function walkOrdersNow(ctx: Ctx): Promise<void> {
  await scheduleOrderWalk(ctx)
  await ctx.tx.run(sql`
    update order_walks set next_at = statement_timestamp(), failures = 0
     where store_id = ${ctx.storeId} and (kind = 'recent' or next_at is not null)`)
}

/**
 * Has all orders read that changed at `since` or later, in the background. One that is under way since the same time or an earlier one
 * goes on; another begins anew.
 */
export async function startOrderImport(ctx: Ctx, since: Temporal.Instant): Promise<void> {
  await ctx.tx.run(sql`
    insert into order_walks as w (store_id, kind, next_at, cursor_at)
    values (${ctx.storeId}, 'import', statement_timestamp(), ${since})
    on conflict (store_id, kind) do update
       set next_at = excluded.next_at, cursor_at = excluded.cursor_at, started_at = null, page_after = null, seen = 0, changed = 0,
           failures = 0, last_error = null, finished_at = null, lease_token = w.lease_token + 1, lease_owner = null,
           leased_until = null
     where w.next_at is null or w.cursor_at > excluded.cursor_at`)
}

/** The import of orders that is under way, or the last one; null when there was none. */
export async function findOrderImport(ctx: Ctx): Promise<OrderWalk | null> {
  return (await listOrderWalks(ctx)).find(({ kind }) => kind === 'import') ?? null
}

function listOrderWalks(ctx: Ctx): Promise<OrderWalk[]> {
  return ctx.tx.many(
    OrderWalk,
    sql`
    select kind, next_at, cursor_at, seen, changed, failures, last_error, finished_at
      from order_walks where store_id = ${ctx.storeId} order by kind`
  )
}

/** Claims the walk that is due, at the page that it has reached; null when none is. */
export function claimWalk(ctx: Ctx, leaseOwner: number, leaseMs: number): Promise<Walk | null> {
  return ctx.tx.maybeOne(
    Walk,
    sql`
    with due as (
      select kind from order_walks
       where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
         and (leased_until is null or leased_until < statement_timestamp())
       order by array_position(${[...KINDS]}::text[], kind) limit 1 for update skip locked)
    update order_walks w
       set lease_token = w.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
           seen = case when w.started_at is null then 0 else w.seen end,
           changed = case when w.started_at is null then 0 else w.changed end,
           started_at = coalesce(w.started_at, ${ctx.now})
      from due where w.store_id = ${ctx.storeId} and w.kind = due.kind
    returning w.kind, w.cursor_at, w.started_at, w.page_after, w.failures, w.lease_token`
  )
}

/** Extends the lease on a walk; false when another process has it. */
export async function extendWalk({ tx, storeId }: Ctx, walk: Walk, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update order_walks set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and kind = ${walk.kind} and lease_token = ${walk.leaseToken} and lease_owner is not null`)
  return extended === 1
}

/** Records how far a walk is after a page. After its last page everything up to its beginning is known. */
export async function markWalked(ctx: Ctx, walk: Walk, page: WalkedPage): Promise<void> {
  const isOver = page.after === null
  const finishedAt = isOver ? Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs) : null
  const nextAt = isOver && walk.kind === 'recent' ? finishedAt!.add({ seconds: secondsUntilNext(EVERY_MINUTES) }) : null
  await ctx.tx.run(sql`
    update order_walks
       set seen = seen + ${page.seen}, changed = changed + ${page.changed}, failures = 0, last_error = null,
           page_after = ${page.after},
           cursor_at = case when ${isOver} and kind = 'recent' then started_at else cursor_at end,
           started_at = case when ${isOver} then null else started_at end,
           finished_at = case when ${isOver} then ${finishedAt}::timestamptz else finished_at end,
           next_at = case when ${isOver} then ${nextAt}::timestamptz else next_at end, lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and kind = ${walk.kind} and lease_token = ${walk.leaseToken}`)
}

/** Puts a walk off whose page did not come. It goes on there, or from its beginning when that place keeps failing. */
export async function markNotWalked(ctx: Ctx, walk: Walk, error: string): Promise<void> {
  const failures = walk.failures + 1
  const minutes = retryMinutes(failures)
  const isAnew = failures % FAILURES_UNTIL_NEW_WALK === 0
  await ctx.tx.run(sql`
    update order_walks
       set failures = ${failures}, last_error = ${storableError(error)},
           page_after = case when ${isAnew} then null else page_after end,
           next_at = statement_timestamp() + ${minutes} * interval '1 minute', lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and kind = ${walk.kind} and lease_token = ${walk.leaseToken}`)
}

export const dueOrderWalks = dueQuery(
  'order_walks_due',
  `select w.store_id, min(w.next_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join order_walks w on w.store_id = s.store_id and w.next_at <= s.until
    where w.leased_until is null or w.leased_until < statement_timestamp()
    group by w.store_id`
)

/** When a store is next to be walked, in its own time: schedules are real time, so where a clock is stopped that is now or never. */
export const nextOrderWalkAt = directSql<[storeId: number]>(
  'next_order_walk_at',
  `select case when min(w.next_at) <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from order_walks w join stores s on s.store_id = $1
    where w.store_id = $1 and (w.leased_until is null or w.leased_until < statement_timestamp())
    group by s.clock_at`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseOrderWalks: LeaseRelease = (owners) => sql`
  update order_walks set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
