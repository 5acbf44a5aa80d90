import { dueQuery, type LeaseRelease } from '#kit/engines'
import { type Ctx, directSql, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext } from '#kit/walks'
import { type BulkPart, findLastMessage } from '#platform'

/** In the order in which they are read when all are due: orders find their customers and contracts. */
const READ_IN_PARTS = ['customers', 'contracts', 'orders'] as const satisfies readonly BulkPart[]
const PHASES = ['start', 'wait', 'read', 'done', 'failed'] as const

/** Without the scope `read_all_orders` the platform shows no older ones. */
export const DEFAULT_ORDERS_DAYS = 60

/** Once they were read in, customers that changed are read every day: nothing else notices the change of one who is no member. */
const CUSTOMERS_EVERY_MINUTES = 1440
/** A change may become readable some time after it was made, and clocks differ. */
const OVERLAP_MINUTES = 10
/** A file that does not come so often in a row is asked for anew. */
const FAILURES_UNTIL_NEW_FILE = 4

export const ReadIn = row({
  part: oneOf(...READ_IN_PARTS),
  phase: oneOf(...PHASES),
  since: nullable(instant),
  lines: int,
  linesRead: int,
  seen: int,
  skipped: int,
  skippedReason: nullable(text),
  failures: int,
  lastError: nullable(text),
  finishedAt: nullable(instant)
})
/** How far a part of a store is read. `finishedAt` is real time. */
export type ReadIn = RowOf<typeof ReadIn>

const Claimed = row({
  part: oneOf(...READ_IN_PARTS),
  phase: oneOf(...PHASES),
  since: nullable(instant),
  startedAt: nullable(instant),
  messagesBefore: int,
  bulkOperationId: nullable(text),
  operations: int,
  asked: int,
  linesRead: int,
  failures: int,
  leaseToken: int
})
/** A part that this process has in hand. */
export type ClaimedReadIn = RowOf<typeof Claimed>

/** What a step came to. A file is read further where `phase` is `read`, from the place that was stored with its batches. */
export type ReadInStep =
  | { phase: 'wait'; bulkOperationId: string; asked: number; lines: number; waitSeconds: number }
  | { phase: 'read'; bulkOperationId: string; lines: number }
  /** `isFailed`: the operation came to nothing, and another is begun. */
  | { phase: 'start'; error: string; isFailed: boolean; waitSeconds: number }
  | { phase: 'done' }
  | { phase: 'failed'; error: string }

/**
 * Has everything read in that the store has on its platform: all customers and contracts, and the orders that were placed at
 * `ordersSince` or later. A part that is under way goes on, but orders from an earlier time begin anew.
 */
export async function startReadIn(ctx: Ctx, ordersSince: Temporal.Instant): Promise<void> {
  await ctx.tx.run(sql`
    insert into read_ins as r (store_id, part, next_at, phase, since)
    select ${ctx.storeId}, t.part, statement_timestamp(), 'start', t.since
      from unnest(${[...READ_IN_PARTS]}::text[], ${[null, null, ordersSince]}::timestamptz[]) as t(part, since)
    on conflict (store_id, part) do update
       set next_at = excluded.next_at, phase = 'start', since = excluded.since, started_at = null, bulk_operation_id = null,
           asked = 0, lines = 0, lines_read = 0, seen = 0, skipped = 0, skipped_reason = null, failures = 0, last_error = null, finished_at = null,
           lease_token = r.lease_token + 1, lease_owner = null, leased_until = null
     where r.phase in ('done', 'failed') or r.since > excluded.since or (r.since is not null and excluded.since is null)
        or r.finished_at is not null`)
}

/** Begins anew what the app was not allowed to read: it has a scope more. Orders were read page by page instead. */
export async function restartDeniedReadIns(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update read_ins set next_at = statement_timestamp(), phase = 'start', failures = 0
     where store_id = ${ctx.storeId} and phase = 'failed' and part <> 'orders'`)
}

/** How far the parts of the store are; none where nobody has asked for it. */
export function listReadIns(ctx: Ctx): Promise<ReadIn[]> {
  return ctx.tx.many(
    ReadIn,
    sql`
    select part, phase, since, lines, lines_read, seen, skipped, skipped_reason, failures, last_error, finished_at
      from read_ins where store_id = ${ctx.storeId} order by array_position(${[...READ_IN_PARTS]}::text[], part)`
  )
}

/** Claims the part that is due; null when none is. One that begins anew forgets what the read before came to. */
export async function claimReadIn(ctx: Ctx, leaseOwner: number, leaseMs: number): Promise<ClaimedReadIn | null> {
  if (ctx.isRestored) return null
  const messagesBefore = await findLastMessage(ctx)
  return ctx.tx.maybeOne(
    Claimed,
    sql`
    with due as (
      select part from read_ins
       where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
         and (leased_until is null or leased_until < statement_timestamp())
       order by array_position(${[...READ_IN_PARTS]}::text[], part) limit 1 for update skip locked)
    update read_ins r
       set lease_token = r.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
           phase = case when r.phase = 'done' then 'start' else r.phase end,
           messages_before = case when r.started_at is null then ${messagesBefore} else r.messages_before end,
           lines = case when r.started_at is null then 0 else r.lines end,
           lines_read = case when r.started_at is null then 0 else r.lines_read end,
           seen = case when r.started_at is null then 0 else r.seen end,
           skipped = case when r.started_at is null then 0 else r.skipped end,
           operations = r.operations + case when r.started_at is null then 1 else 0 end,
           started_at = coalesce(r.started_at, ${ctx.now}::timestamptz)
      from due where r.store_id = ${ctx.storeId} and r.part = due.part
    returning r.part, r.phase, r.since, r.started_at, r.messages_before, r.bulk_operation_id, r.operations, r.asked,
              r.lines_read, r.failures, r.lease_token`
  )
}

/** Extends the lease on a part; false when another process has it. */
export async function extendReadIn({ tx, storeId }: Ctx, claimed: ClaimedReadIn, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update read_ins set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and part = ${claimed.part} and lease_token = ${claimed.leaseToken} and lease_owner is not null`)
  return extended === 1
}

/**
 * Stores how far the file is read, in the transaction of what was read. False when another process has the part: then nothing of the
 * transaction may stay.
 */
export async function markLinesRead(
  { tx, storeId }: Ctx,
  { part, leaseToken }: ClaimedReadIn,
  {
    linesRead,
    seen,
    skipped,
    skippedReason
  }: { linesRead: number; seen: number; skipped: number; skippedReason: string | null }
): Promise<boolean> {
  const marked = await tx.run(sql`
    update read_ins set lines_read = ${linesRead}, seen = seen + ${seen}, skipped = skipped + ${skipped},
           skipped_reason = coalesce(${skippedReason}, skipped_reason), failures = 0, last_error = null
     where store_id = ${storeId} and part = ${part} and lease_token = ${leaseToken} and lease_owner is not null`)
  return marked === 1
}

/** Records what a step came to, and ends the lease. */
export async function markStep(ctx: Ctx, claimed: ClaimedReadIn, step: ReadInStep): Promise<void> {
  const isAnew = step.phase === 'start'
  const isFailed = isAnew && step.isFailed
  const isOver = step.phase === 'done' || step.phase === 'failed'
  const again = step.phase === 'done' && claimed.part === 'customers' ? secondsUntilNext(CUSTOMERS_EVERY_MINUTES) : null
  const seconds = step.phase === 'read' ? 0 : 'waitSeconds' in step ? step.waitSeconds : again
  const next = again === null ? claimed.since : claimed.startedAt!.subtract({ minutes: OVERLAP_MINUTES })
  const finishedAt = isOver ? Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs) : null
  const operationId = 'bulkOperationId' in step ? step.bulkOperationId : null
  await ctx.tx.run(sql`
    update read_ins
       set phase = ${step.phase}, next_at = statement_timestamp() + ${seconds}::double precision * interval '1 second', since = ${next},
           started_at = case when ${isOver} then null else started_at end, bulk_operation_id = ${operationId},
           asked = ${'asked' in step ? step.asked : 0}, operations = operations + ${Number(isFailed)},
           lines = case when ${isAnew} then 0 else coalesce(${'lines' in step ? step.lines : null}::bigint, lines) end,
           lines_read = case when ${isAnew} then 0 else lines_read end, seen = case when ${isAnew} then 0 else seen end,
           skipped = case when ${isAnew} then 0 else skipped end,
           failures = case when ${step.phase === 'done'} then 0 else failures + ${Number(isFailed)} end,
           last_error = ${'error' in step ? storableError(step.error) : null},
           finished_at = coalesce(${finishedAt}, finished_at), lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and part = ${claimed.part} and lease_token = ${claimed.leaseToken}`)
}

/** Puts a step off that has failed. After some failures in a row the platform is asked for a new file. */
export async function markFailed(
  ctx: Ctx,
  { part, failures, leaseToken }: ClaimedReadIn,
  error: string
): Promise<void> {
  const count = failures + 1
  const isAnew = count % FAILURES_UNTIL_NEW_FILE === 0
  await ctx.tx.run(sql`
    update read_ins
       set failures = ${count}, last_error = ${storableError(error)},
           phase = case when ${isAnew} then 'start' else phase end,
           bulk_operation_id = case when ${isAnew} then null else bulk_operation_id end,
           operations = operations + ${Number(isAnew)},
           lines_read = case when ${isAnew} then 0 else lines_read end, seen = case when ${isAnew} then 0 else seen end,
           next_at = statement_timestamp() + ${retryMinutes(count)} * interval '1 minute', lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and part = ${part} and lease_token = ${leaseToken}`)
}

export const dueReadIns = dueQuery(
  'read_ins_due',
  `select r.store_id, min(r.next_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join read_ins r on r.store_id = s.store_id and r.next_at <= s.until
    where r.leased_until is null or r.leased_until < statement_timestamp()
    group by r.store_id`
)

/** When a store is next to be read, in its own time: schedules are real time, so where a clock is stopped that is now or never. */
export const nextReadInAt = directSql<[storeId: number]>(
  'next_read_in_at',
  `select case when min(r.next_at) <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from read_ins r join stores s on s.store_id = $1
    where r.store_id = $1 and (r.leased_until is null or r.leased_until < statement_timestamp())
    group by s.clock_at`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseReadIns: LeaseRelease = (owners) => sql`
  update read_ins set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`

/** Has the parts whose bulk operations have ended go on at once. */
export async function resumeReadIns({ tx, storeId }: Ctx, operationIds: string[]): Promise<void> {
  await tx.run(sql`
    update read_ins set next_at = statement_timestamp()
     where store_id = ${storeId} and phase = 'wait' and bulk_operation_id = any(${operationIds}::text[])`)
}
