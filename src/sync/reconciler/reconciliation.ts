import { dueQuery, type LeaseRelease } from '#kit/engines'
import {
  type Ctx,
  directSql,
  instant,
  int,
  nullable,
  oneOf,
  type RowOf,
  row,
  type Statement,
  sql,
  text
} from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext, WALK_LEASE_MS } from '#kit/walks'
import { storeContext } from '#stores'

/** What is looked at on a schedule, in the order in which it is looked at when all of it is due. */
export const RECONCILIATIONS = ['webhooks', 'contracts', 'attempts', 'all_contracts', 'failed_attempts'] as const
export type ReconciliationKind = (typeof RECONCILIATIONS)[number]

/**
 * What is read in a store that was restored from a backup, in this order. Charges come first: a contract whose cycle was paid since
 * the backup has a later date there, which would look as if somebody had moved the unpaid cycle.
 */
export const READ_AFTER_RESTORE: readonly ReconciliationKind[] = ['attempts', 'all_contracts', 'failed_attempts']

const EVERY_MINUTES: Record<ReconciliationKind, number> = {
  webhooks: 60,
  contracts: 15,
  attempts: 15,
  all_contracts: 1440,
  failed_attempts: 1440
}
/** A page that does not come so often in a row may be the fault of the place in the list: the walk begins anew. */
const FAILURES_UNTIL_NEW_WALK = 4

export const Reconciliation = row({
  kind: oneOf(...RECONCILIATIONS),
  /** Real time, also where the store has a test clock. */
  nextAt: instant,
  cursorAt: instant,
  seen: int,
  changed: int,
  failures: int,
  lastError: nullable(text),
  finishedAt: nullable(instant)
})
export type Reconciliation = RowOf<typeof Reconciliation>

const Walk = row({
  kind: oneOf(...RECONCILIATIONS),
  cursorAt: instant,
  startedAt: instant,
  pageAfter: nullable(text),
  lastId: text,
  failures: int,
  leaseToken: int
})
/** A walk that this process has in hand, at its next page. Store time. */
export type Walk = RowOf<typeof Walk>

/** What a page came to, and where it ended. `after` is null on the last. */
export type WalkedPage = { seen: number; changed: number; after: string | null; lastId?: string }

/** Begins the schedule of a store that is new to us: what is there now is known, the first looks come in their time. */
export async function scheduleReconciliations(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into reconciliations (store_id, kind, next_at, cursor_at)
    select ${ctx.storeId}, k.kind, statement_timestamp() + k.minutes * (0.9 + 0.2 * random()) * interval '1 minute', ${ctx.now}
      from unnest(${[...RECONCILIATIONS]}::text[], ${RECONCILIATIONS.map((kind) => EVERY_MINUTES[kind])}::int[]) as k(kind, minutes)
    on conflict (store_id, kind) do nothing`)
}

/** Has everything looked at now. A walk that is under way goes on; one that waits to be tried again does so at once. */
export async function reconcileNow(ctx: Ctx): Promise<void> {
  await scheduleReconciliations(ctx)
  await ctx.tx.run(sql`
    update reconciliations set next_at = statement_timestamp(), failures = 0 where store_id = ${ctx.storeId}`)
}

/** Has everything read from its beginning, for a store that was restored. What was under way counts no more. */
export async function restartReconciliations(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update reconciliations
       set next_at = statement_timestamp(), started_at = null, page_after = null, last_id = '', seen = 0, changed = 0, failures = 0,
           last_error = null, finished_at = null, lease_token = lease_token + 1, lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId}`)
}

/** The same in every store at once. */
export const restartAllReconciliations = (): Statement => sql`
  update reconciliations
     set next_at = statement_timestamp(), started_at = null, page_after = null, last_id = '', seen = 0, changed = 0, failures = 0,
         last_error = null, finished_at = null, lease_token = lease_token + 1, lease_owner = null, leased_until = null`

export function listReconciliations(ctx: Ctx): Promise<Reconciliation[]> {
  return ctx.tx.many(
    Reconciliation,
    sql`
    select kind, next_at, cursor_at, seen, changed, failures, last_error, finished_at
      from reconciliations where store_id = ${ctx.storeId} order by kind`
  )
}

/**
 * Claims the walk that is due, at the page that it has reached, and starts it if it has not started. Null when none is. In a
 * restored store each walk waits for the end of the one before it.
 */
export async function claimWalk(ctx: Ctx, leaseOwner: number, leaseMs = WALK_LEASE_MS): Promise<Walk | null> {
  const { restoredAt } = await storeContext(ctx)
  const only = restoredAt === null ? null : await nextAfterRestore(ctx)
  return ctx.tx.maybeOne(
    Walk,
    sql`
    with due as (
      select kind from reconciliations
       where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
         and (${only}::text is null or kind = ${only})
         and (leased_until is null or leased_until < statement_timestamp())
       order by array_position(${[...RECONCILIATIONS]}::text[], kind) limit 1 for update skip locked)
    update reconciliations r
       set lease_token = r.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond', started_at = coalesce(r.started_at, ${ctx.now}),
           seen = case when r.started_at is null then 0 else r.seen end,
           changed = case when r.started_at is null then 0 else r.changed end
      from due where r.store_id = ${ctx.storeId} and r.kind = due.kind
    returning r.kind, r.cursor_at, r.started_at, r.page_after, r.last_id, r.failures, r.lease_token`
  )
}

/** Extends the lease on a walk; false when another process has it. */
export async function extendWalk({ tx, storeId }: Ctx, walk: Walk, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update reconciliations set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and kind = ${walk.kind} and lease_token = ${walk.leaseToken} and lease_owner is not null`)
  return extended === 1
}

/** The first walk that has not ended since the restore; null when all have. */
async function nextAfterRestore(ctx: Ctx): Promise<ReconciliationKind | null> {
  const next = await ctx.tx.maybeOne(
    row({ kind: oneOf(...RECONCILIATIONS) }),
    sql`
    select kind from reconciliations
     where store_id = ${ctx.storeId} and kind = any(${[...READ_AFTER_RESTORE]}::text[]) and finished_at is null
     order by array_position(${[...READ_AFTER_RESTORE]}::text[], kind) limit 1`
  )
  return next?.kind ?? null
}

/** Records how far a walk is after a page. After its last page everything up to its beginning is known. */
export async function markWalked(ctx: Ctx, walk: Walk, page: WalkedPage): Promise<void> {
  const isOver = page.after === null
  const finishedAt = isOver ? Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs) : null
  const nextAt = finishedAt?.add({ seconds: secondsUntilNext(EVERY_MINUTES[walk.kind]) }) ?? null
  await ctx.tx.run(sql`
    update reconciliations
       set seen = seen + ${page.seen}, changed = changed + ${page.changed}, failures = 0, last_error = null,
           page_after = ${page.after}, last_id = case when ${isOver} then '' else ${page.lastId ?? ''} end,
           cursor_at = case when ${isOver} then started_at else cursor_at end,
           started_at = case when ${isOver} then null else started_at end,
           finished_at = coalesce(${finishedAt}, finished_at), next_at = coalesce(${nextAt}, next_at),
           lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and kind = ${walk.kind} and lease_token = ${walk.leaseToken}`)
}

/** Puts a walk off whose page did not come. It goes on there, or from its beginning when that place keeps failing. */
export async function markNotWalked(ctx: Ctx, walk: Walk, error: string): Promise<void> {
  const failures = walk.failures + 1
  // Never later than the schedule would have it.
  const minutes = Math.min(retryMinutes(failures), EVERY_MINUTES[walk.kind])
  const isAnew = failures % FAILURES_UNTIL_NEW_WALK === 0
  await ctx.tx.run(sql`
    update reconciliations
       set failures = ${failures}, last_error = ${storableError(error)},
           page_after = case when ${isAnew} then null else page_after end,
           last_id = case when ${isAnew} then '' else last_id end,
           next_at = statement_timestamp() + ${minutes} * interval '1 minute', lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and kind = ${walk.kind} and lease_token = ${walk.leaseToken}`)
  if ((await storeContext(ctx)).restoredAt === null) return
  // The others wait for this one, and must not look due meanwhile.
  await ctx.tx.run(sql`
    update reconciliations set next_at = greatest(next_at, statement_timestamp() + ${minutes} * interval '1 minute')
     where store_id = ${ctx.storeId}`)
}

export const dueReconciliations = dueQuery(
  'reconciliations_due',
  `select r.store_id, min(r.next_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join reconciliations r on r.store_id = s.store_id and r.next_at <= s.until
    where r.leased_until is null or r.leased_until < statement_timestamp()
    group by r.store_id`
)

/**
 * When a store is next to be looked at, in its own time: schedules are real time, so in a store whose clock is stopped that
 * is now or never. A clock that is moved does not stop for it.
 */
export const nextReconciliationAt = directSql<[storeId: number]>(
  'next_reconciliation_at',
  `select case when min(r.next_at) <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from reconciliations r join stores s on s.store_id = $1
    where r.store_id = $1 and (r.leased_until is null or r.leased_until < statement_timestamp())
    group by s.clock_at`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseReconciliations: LeaseRelease = (owners) => sql`
  update reconciliations set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
