import { randomBytes } from 'node:crypto'
import { dueQuery, type LeaseRelease } from '#kit/engines'
import {
  bool,
  bytes,
  type Ctx,
  directSql,
  instant,
  int,
  nullable,
  oneOf,
  type RowOf,
  row,
  sql,
  text
} from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext } from '#kit/walks'
import { markMetafieldsDue } from './owner-queries.ts'
import { SHOP } from './wanted-metafields.ts'

const EVERY_HOURS = 24

/** Begins to keep the metafields of a store, whose shop is read first. One that is kept already is compared anew. */
export async function beginMetafields(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into metafield_stores (store_id, hash_secret, next_at)
    values (${ctx.storeId}, ${randomBytes(32)}, statement_timestamp())
    on conflict (store_id) do update
      set next_at = excluded.next_at, is_asked = true, requests = metafield_stores.requests + 1, failures = 0`)
  await markMetafieldsDue(ctx, [SHOP], { isReadFirst: true })
}

/** The key of `svc_hash`. Throws for a store whose metafields are not kept. */
export async function findHashSecret(ctx: Ctx): Promise<Buffer> {
  const { hashSecret } = await ctx.tx.one(
    row({ hashSecret: bytes }),
    sql`select hash_secret from metafield_stores where store_id = ${ctx.storeId}`
  )
  return hashSecret
}

/** Whether the metafields of the store are kept: from its connection on. They begin for one that a node of before has connected. */
export async function keepsMetafields(ctx: Ctx): Promise<boolean> {
  const { isKept, isConnected } = await ctx.tx.one(
    row({ isKept: bool, isConnected: bool }),
    sql`
    select exists (select from metafield_stores where store_id = ${ctx.storeId}) as is_kept,
           exists (select from stores where store_id = ${ctx.storeId} and connected_at is not null) as is_connected`
  )
  if (!isKept && isConnected) await beginMetafields(ctx)
  return isKept || isConnected
}

/** The platform's number of the shop; null until it was read. */
export async function findShopId(ctx: Ctx): Promise<string | null> {
  const found = await ctx.tx.maybeOne(
    row({ shopId: nullable(text) }),
    sql`select shop_id from metafield_stores where store_id = ${ctx.storeId}`
  )
  return found?.shopId ?? null
}

/** Records that the shop was read, and what it had was taken over. */
export async function markShopRead(ctx: Ctx, shopId: string): Promise<void> {
  await ctx.tx.run(sql`update metafield_stores set shop_id = ${shopId} where store_id = ${ctx.storeId}`)
}

/** Counts metafields that were set and deleted on the platform. */
export async function countWrittenMetafields(
  ctx: Ctx,
  { set, removed }: { set: number; removed: number }
): Promise<void> {
  if (set + removed === 0) return
  await ctx.tx.run(sql`
    update metafield_stores set written = written + ${set}, deleted = deleted + ${removed} where store_id = ${ctx.storeId}`)
}

const Totals = row({
  written: int,
  deleted: int,
  changedByOthers: int,
  /** The requests for a comparison so far, and those that the last walk that has ended knew when it began. */
  requests: int,
  endedRequests: int,
  lastCompared: int,
  lastError: nullable(text),
  waiting: int,
  problems: int
})
/**
 * How far the metafields of a store are: written so far, of these changed by others before, the walk that has ended last, and what waits or has a
 * problem.
 */
export type MetafieldTotals = RowOf<typeof Totals>

/** Null for a store whose metafields are not kept. */
export function findMetafieldTotals(ctx: Ctx): Promise<MetafieldTotals | null> {
  return ctx.tx.maybeOne(
    Totals,
    sql`
    select w.written, w.deleted, w.changed_by_others, w.requests, w.ended_requests, w.last_compared, w.last_error,
           (select count(*) from metafield_owners where store_id = ${ctx.storeId} and due_at is not null) as waiting,
           (select count(*) from metafield_owners where store_id = ${ctx.storeId} and problem is not null) as problems
      from metafield_stores w where w.store_id = ${ctx.storeId}`
  )
}

const Walk = row({
  phase: oneOf('start', 'wait', 'read', 'members'),
  /** Where the phase goes on: how often it has asked, the lines of the file that were read, or the last member. */
  afterId: int,
  bulkOperationId: nullable(text),
  bulkStartedAt: nullable(instant),
  failures: int,
  fileFailures: int,
  leaseToken: int,
  /** No walk of this store has ended before. */
  isFirst: bool
})
/**
 * A comparison of all customers that this process has in hand: first the platform reads its customers into a file (`start`, `wait`), then
 * the file is read, and at last what is wanted is derived anew of all members.
 */
export type MetafieldWalk = RowOf<typeof Walk>

/** Has everything compared now. A walk that is under way goes on, and another one follows it. */
export async function walkMetafieldsNow(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update metafield_stores
       set next_at = statement_timestamp(), failures = 0, last_error = null, is_asked = true, requests = requests + 1
     where store_id = ${ctx.storeId}`)
}

/** When all owners are compared next (real time); null for a store whose metafields are not kept. */
export async function findNextMetafieldWalk(ctx: Ctx): Promise<Temporal.Instant | null> {
  const walk = await ctx.tx.maybeOne(
    row({ nextAt: instant }),
    sql`select next_at from metafield_stores where store_id = ${ctx.storeId}`
  )
  return walk?.nextAt ?? null
}

export async function claimMetafieldWalk(ctx: Ctx, leaseOwner: number, leaseMs: number): Promise<MetafieldWalk | null> {
  if (ctx.isRestored) return null
  return ctx.tx.maybeOne(
    Walk,
    sql`
    with due as (
      select store_id from metafield_stores
       where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
         and (leased_until is null or leased_until < statement_timestamp())
         for update skip locked)
    update metafield_stores w
       set lease_token = w.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
           is_asked = case when w.phase = 'start' then false else w.is_asked end,
           begun_requests = case when w.phase = 'start' then w.requests else w.begun_requests end,
           compared = case when w.phase = 'start' then 0 else w.compared end,
           differed = case when w.phase = 'start' then 0 else w.differed end
      from due where w.store_id = ${ctx.storeId}
    returning w.phase, w.after_id, w.bulk_operation_id, w.bulk_started_at, w.failures, w.file_failures, w.lease_token,
              w.finished_at is null as is_first`
  )
}

/** Extends the lease on a walk; false when another process has it. */
export async function extendMetafieldWalk(
  { tx, storeId }: Ctx,
  walk: MetafieldWalk,
  leaseMs: number
): Promise<boolean> {
  const extended = await tx.run(sql`
    update metafield_stores set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and lease_token = ${walk.leaseToken} and lease_owner is not null`)
  return extended === 1
}

/**
 * What a step of a walk came to: where it goes on, and after how many seconds. A null phase is its end. `bulkStartedAt` is in real time.
 * `fileError`: why the platform's file could not be read; null after one that was.
 */
export type WalkStep = {
  phase: MetafieldWalk['phase'] | null
  afterId?: number
  bulkOperationId?: string | null
  bulkStartedAt?: Temporal.Instant
  fileError?: string | null
  waitSeconds?: number
  compared?: number
  differed?: number
}

/** Records a step; at the end of the walk the next one is a day later. */
export async function markWalkStep(ctx: Ctx, walk: MetafieldWalk, step: WalkStep): Promise<void> {
  const { phase, afterId = 0, bulkOperationId = null, compared = 0, differed = 0 } = step
  const seconds = phase === null ? secondsUntilNext(EVERY_HOURS * 60) : (step.waitSeconds ?? 0)
  const now = Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs)
  const startedAt = step.bulkStartedAt ?? walk.bulkStartedAt
  const fileFailures =
    step.fileError === undefined ? walk.fileFailures : step.fileError === null ? 0 : walk.fileFailures + 1
  const finishedAt = phase === null ? now : null
  await ctx.tx.run(sql`
    update metafield_stores
       set phase = ${phase ?? 'start'}, after_id = ${afterId}, bulk_operation_id = ${bulkOperationId},
           bulk_started_at = ${startedAt},
           compared = compared + ${compared}, differed = differed + ${differed}, failures = 0, last_error = null,
           file_failures = ${fileFailures},
           -- What was asked for is still to be done.
           is_asked = is_asked or ${step.fileError != null && phase === 'start'},
           file_error = case when ${step.fileError !== undefined} then ${step.fileError ? storableError(step.fileError) : null}::text else file_error end,
           finished_at = coalesce(${finishedAt}, finished_at),
           ended_requests = case when ${phase === null}::boolean then begun_requests else ended_requests end,
           last_compared = case when ${phase === null}::boolean then compared + ${compared} else last_compared end,
           next_at = statement_timestamp() + case when is_asked and ${phase === null}::boolean then 0 else ${seconds} end * interval '1 second',
           lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and lease_token = ${walk.leaseToken}`)
}

/** Puts a walk off whose step did not succeed; `phase`: from where it goes on. */
export async function markWalkFailed(ctx: Ctx, walk: MetafieldWalk, error: string): Promise<void> {
  const failures = walk.failures + 1
  await ctx.tx.run(sql`
    update metafield_stores
       set failures = ${failures}, last_error = ${storableError(error)},
           next_at = statement_timestamp() + ${retryMinutes(failures)} * interval '1 minute', lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and lease_token = ${walk.leaseToken}`)
}

export const dueMetafieldWalks = dueQuery(
  'metafield_walks_due',
  `select w.store_id, w.next_at as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join metafield_stores w on w.store_id = s.store_id and w.next_at <= s.until
    where w.leased_until is null or w.leased_until < statement_timestamp()`
)

/** Schedules are real time, so in a store whose clock is stopped that is now or never. */
export const nextMetafieldWalkAt = directSql<[storeId: number]>(
  'next_metafield_walk_at',
  `select case when w.next_at <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from metafield_stores w join stores s on s.store_id = $1
    where w.store_id = $1 and (w.leased_until is null or w.leased_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseMetafieldWalks: LeaseRelease = (owners) => sql`
  update metafield_stores set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
