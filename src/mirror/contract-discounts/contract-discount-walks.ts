import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, int, type RowOf, row, sql } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes, secondsUntilNext } from '#kit/walks'

const EVERY_HOURS = 24

const ContractDiscountWalk = row({
  afterId: int,
  requests: int,
  isComparing: bool,
  failures: int,
  leaseToken: int
})
/** A walk over the members of a store that this process has in hand, at its next page. */
export type ContractDiscountWalk = RowOf<typeof ContractDiscountWalk>

/**
 * Holds the walk of the store until the transaction ends; a store that has none begins with one. Who changes the terms reads plans and
 * settings after this: of two who do, the later sees what the earlier has written.
 */
export async function lockContractDiscountWalk(ctx: Ctx): Promise<void> {
  if (await lockWalk(ctx)) return
  await ctx.tx.run(sql`
    insert into contract_discount_walks (store_id, next_at) values (${ctx.storeId}, statement_timestamp())
    on conflict (store_id) do nothing`)
  await lockWalk(ctx)
}

async function lockWalk({ tx, storeId }: Ctx): Promise<boolean> {
  const held = await tx.maybeOne(
    row({ requests: int }),
    sql`select requests from contract_discount_walks where store_id = ${storeId} for update`
  )
  return held !== null
}

/** Has the discounts derived anew for all customers of the store, from the first one on. The walk must be locked. */
export async function askForContractDiscountWalk(ctx: Ctx, { isComparing }: { isComparing: boolean }): Promise<void> {
  await ctx.tx.run(sql`
    update contract_discount_walks
       set next_at = statement_timestamp(), after_id = 0, requests = requests + 1, failures = 0,
           is_comparing = is_comparing or ${isComparing}
     where store_id = ${ctx.storeId}`)
}

export async function claimContractDiscountWalk(
  ctx: Ctx,
  leaseOwner: number,
  leaseMs: number
): Promise<ContractDiscountWalk | null> {
  if (ctx.isRestored) return null
  return ctx.tx.maybeOne(
    ContractDiscountWalk,
    sql`
    with due as (
      select store_id from contract_discount_walks
       where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
         and (leased_until is null or leased_until < statement_timestamp())
         for update skip locked)
    update contract_discount_walks w
       set lease_token = w.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from due where w.store_id = ${ctx.storeId}
    returning w.after_id, w.requests, w.is_comparing, w.failures, w.lease_token`
  )
}

/** Extends the lease on a walk; false when another process has it. */
export async function extendContractDiscountWalk(
  { tx, storeId }: Ctx,
  { leaseToken }: ContractDiscountWalk,
  leaseMs: number
): Promise<boolean> {
  const extended = await tx.run(sql`
    update contract_discount_walks set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and lease_token = ${leaseToken} and lease_owner is not null`)
  return extended === 1
}

/**
 * Records a page. At the end of the walk, where `afterId` is null, the next one is a day later. Where somebody has asked since the page was
 * claimed, its place counts no more.
 */
export async function markContractDiscountPage(
  ctx: Ctx,
  { leaseToken, requests }: ContractDiscountWalk,
  { afterId }: { afterId: number | null }
): Promise<void> {
  const finishedAt = afterId === null ? Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs) : null
  const nextAt = finishedAt?.add({ seconds: secondsUntilNext(EVERY_HOURS * 60) }) ?? null
  await ctx.tx.run(sql`
    update contract_discount_walks
       set after_id = case when requests = ${requests} then ${afterId ?? 0} else after_id end,
           next_at = case when requests = ${requests} then coalesce(${nextAt}, next_at) else next_at end,
           is_comparing = is_comparing and (requests <> ${requests} or ${finishedAt}::timestamptz is null),
           finished_at = case when requests = ${requests} then coalesce(${finishedAt}, finished_at) else finished_at end,
           failures = 0, last_error = null, lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and lease_token = ${leaseToken}`)
}

/** Puts a walk off whose page could not be derived; it goes on there. */
export async function markContractDiscountPageFailed(
  ctx: Ctx,
  { failures: before, leaseToken }: ContractDiscountWalk,
  error: string
): Promise<void> {
  const failures = before + 1
  await ctx.tx.run(sql`
    update contract_discount_walks
       set failures = ${failures}, last_error = ${storableError(error)},
           next_at = statement_timestamp() + ${retryMinutes(failures)} * interval '1 minute', lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and lease_token = ${leaseToken}`)
}

export const dueContractDiscountWalks = dueQuery(
  'contract_discount_walks_due',
  `select w.store_id, w.next_at as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join contract_discount_walks w on w.store_id = s.store_id and w.next_at <= s.until
    where w.leased_until is null or w.leased_until < statement_timestamp()`
)

/** As of walks over tags: schedules are real time, so in a store whose clock is stopped that is now or never. */
export const nextContractDiscountWalkAt = directSql<[storeId: number]>(
  'next_contract_discount_walk_at',
  `select case when w.next_at <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from contract_discount_walks w join stores s on s.store_id = $1
    where w.store_id = $1 and (w.leased_until is null or w.leased_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseContractDiscountWalks: LeaseRelease = (owners) => sql`
  update contract_discount_walks set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
