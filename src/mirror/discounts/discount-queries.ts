import { dueQuery, type LeaseRelease } from '#kit/engines'
import {
  bool,
  type Ctx,
  directSql,
  instant,
  int,
  json,
  nullable,
  oneOf,
  type RowOf,
  row,
  sql,
  text
} from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext } from '#kit/walks'
import { TIERS, type Tier } from '#plans/pricing'
import { SLOTS } from '../discount-slots.ts'

const EVERY_MINUTES = 60

/** Begins to keep the discounts of a store, which are compared at once. Of one that is kept already they are compared anew. */
export async function beginDiscounts(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into discount_stores (store_id, next_at) values (${ctx.storeId}, statement_timestamp())
    on conflict (store_id) do update set next_at = excluded.next_at, is_asked = true, failures = 0`)
}

/** Has the discounts of a store compared now; false where they are not kept. A comparison that is under way is followed by another. */
export async function askForDiscounts(ctx: Ctx): Promise<boolean> {
  const asked = await ctx.tx.run(sql`
    update discount_stores set next_at = statement_timestamp(), failures = 0, last_error = null, is_asked = true where store_id = ${ctx.storeId}`)
  return asked > 0
}

const Node = row({ slot: oneOf(...SLOTS), platformId: nullable(text), isActive: bool, problem: nullable(text) })
/** A discount of ours as it was last known to be. */
export type DiscountNode = RowOf<typeof Node>

export function listDiscountNodes(ctx: Ctx): Promise<DiscountNode[]> {
  return ctx.tx.many(
    Node,
    sql`select slot, platform_id, is_active, problem from discount_nodes where store_id = ${ctx.storeId} order by slot`
  )
}

/** Records what a discount came to, while the lease is held; false when another process has it. */
export async function writeDiscountNode(ctx: Ctx, { leaseToken }: Lease, node: DiscountNode): Promise<boolean> {
  const { slot, platformId, isActive, problem } = node
  if (!(await holdsLease(ctx, leaseToken))) return false
  const error = problem === null ? null : storableError(problem)
  await ctx.tx.run(sql`
    insert into discount_nodes (store_id, slot, platform_id, is_active, problem)
    values (${ctx.storeId}, ${slot}, ${platformId}, ${isActive}, ${error})
    on conflict (store_id, slot) do update
      set platform_id = excluded.platform_id, is_active = excluded.is_active, problem = excluded.problem`)
  return true
}

export async function listSegments(ctx: Ctx): Promise<Map<Tier, string>> {
  const rows = await ctx.tx.many(
    row({ tier: oneOf(...TIERS), platformId: text }),
    sql`select tier, platform_id from discount_segments where store_id = ${ctx.storeId}`
  )
  return new Map(rows.map(({ tier, platformId }) => [tier, platformId]))
}

export async function writeSegment(ctx: Ctx, { leaseToken }: Lease, tier: Tier, platformId: string): Promise<boolean> {
  if (!(await holdsLease(ctx, leaseToken))) return false
  await ctx.tx.run(sql`
    insert into discount_segments (store_id, tier, platform_id) values (${ctx.storeId}, ${tier}, ${platformId})
    on conflict (store_id, tier) do update set platform_id = excluded.platform_id`)
  return true
}

/** Locks the row of the store's discounts, so that nobody takes the lease until the transaction ends. */
async function holdsLease({ tx, storeId }: Ctx, leaseToken: number): Promise<boolean> {
  const held = await tx.maybeOne(
    row({ leaseToken: int }),
    sql`select lease_token from discount_stores where store_id = ${storeId} and lease_token = ${leaseToken} for update`
  )
  return held !== null
}

const Comparison = row({ failures: int, leaseToken: int })
/** A comparison that this process has in hand. */
export type DiscountComparison = RowOf<typeof Comparison>
export type Lease = Pick<DiscountComparison, 'leaseToken'>

export async function claimDiscounts(
  ctx: Ctx,
  leaseOwner: number,
  leaseMs: number
): Promise<DiscountComparison | null> {
  if (ctx.isRestored) return null
  return ctx.tx.maybeOne(
    Comparison,
    sql`
    with due as (
      select store_id from discount_stores
       where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
         and (leased_until is null or leased_until < statement_timestamp())
         for update skip locked)
    update discount_stores w
       set lease_token = w.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond', is_asked = false
      from due where w.store_id = ${ctx.storeId}
    returning w.failures, w.lease_token`
  )
}

export async function extendDiscounts({ tx, storeId }: Ctx, { leaseToken }: Lease, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update discount_stores set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and lease_token = ${leaseToken} and lease_owner is not null`)
  return extended === 1
}

/** A line of the doctor's about a perk that the discounts do not give. */
export type NotEnforcedLine = { subject: string; message: string }

export async function markDiscountsCompared(ctx: Ctx, { leaseToken }: Lease, lines: NotEnforcedLine[]): Promise<void> {
  const now = Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs)
  const seconds = secondsUntilNext(EVERY_MINUTES)
  await ctx.tx.run(sql`
    update discount_stores
       set not_enforced = ${JSON.stringify(lines)}::jsonb, failures = 0, last_error = null, finished_at = ${now},
           next_at = statement_timestamp() + case when is_asked then 0 else ${seconds} end * interval '1 second',
           lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and lease_token = ${leaseToken}`)
}

export async function markDiscountsFailed(ctx: Ctx, comparison: DiscountComparison, error: string): Promise<void> {
  const failures = comparison.failures + 1
  await ctx.tx.run(sql`
    update discount_stores
       set failures = ${failures}, last_error = ${storableError(error)},
           next_at = statement_timestamp() + ${retryMinutes(failures)} * interval '1 minute', lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and lease_token = ${comparison.leaseToken}`)
}

const State = row({
  isAsked: bool,
  isLeased: bool,
  lastError: nullable(text),
  finishedAt: nullable(instant),
  nextAt: instant,
  notEnforced: json<NotEnforcedLine[]>()
})

/** When the discounts were last compared, and what came in between; null for a store whose discounts are not kept. */
export function findDiscountState(ctx: Ctx): Promise<RowOf<typeof State> | null> {
  return ctx.tx.maybeOne(
    State,
    sql`select is_asked, lease_owner is not null as is_leased, last_error, finished_at, next_at, not_enforced from discount_stores where store_id = ${ctx.storeId}`
  )
}

export const dueDiscounts = dueQuery(
  'discounts_due',
  `select w.store_id, w.next_at as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join discount_stores w on w.store_id = s.store_id and w.next_at <= s.until
    where w.leased_until is null or w.leased_until < statement_timestamp()`
)

/** Schedules are real time, so in a store whose clock is stopped that is now or never. */
export const nextDiscountsAt = directSql<[storeId: number]>(
  'next_discounts_at',
  `select case when w.next_at <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from discount_stores w join stores s on s.store_id = $1
    where w.store_id = $1 and (w.leased_until is null or w.leased_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseDiscounts: LeaseRelease = (owners) => sql`
  update discount_stores set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
