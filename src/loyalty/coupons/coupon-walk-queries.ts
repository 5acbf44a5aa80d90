import { dueQuery, type LeaseRelease } from '#kit/engines'
import { type Ctx, directSql, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes } from '#kit/walks'

const EVERY_HOURS = 24
/** A tenth earlier or later, so that stores that were connected together do not stay together. */
const SPREAD = 0.1
/** A coupon that was made so short ago is left to the next walk: what the platform shows may be older. */
const MINUTES_OF_A_NEW_ONE = 10

const CouponWalk = row({ afterId: int, failures: int, leaseToken: int })
/** A walk that this process has in hand, at its next page. */
export type CouponWalk = RowOf<typeof CouponWalk>

const ActiveCoupon = row({ id: int, discountId: text, freeProductId: nullable(text), priceMinor: nullable(int) })
/** `priceMinor`: what its discount takes off for a piece of the free product; null: nobody knows. */
export type ActiveCoupon = RowOf<typeof ActiveCoupon>

/** Begins the schedule of a store with its first coupons. */
export async function scheduleCouponWalk(ctx: Ctx): Promise<void> {
  const { later, exactly } = nextTimes(ctx)
  await ctx.tx.run(sql`
    insert into loyalty_coupon_walks (store_id, next_at)
    select ${ctx.storeId}, case when clock_at is null then ${later}::timestamptz else ${exactly}::timestamptz end
      from stores where store_id = ${ctx.storeId}
    on conflict (store_id) do nothing`)
}

/** When the next walk is: `exactly` a day later under a test clock, whose times are exact. */
function nextTimes({ now }: Ctx) {
  const seconds = Math.round(EVERY_HOURS * 3600 * (1 - SPREAD + 2 * SPREAD * Math.random()))
  return { later: now.add({ seconds }), exactly: now.add({ hours: EVERY_HOURS }) }
}

/** The next active coupons, in order of id. */
export function listActiveCoupons(ctx: Ctx, afterId: number, limit: number): Promise<ActiveCoupon[]> {
  return ctx.tx.many(
    ActiveCoupon,
    sql`
    select id, platform_discount_id as discount_id, price_minor,
           case when type = 'free_product' then product_ids[1] end as free_product_id
      from loyalty_coupons
     where store_id = ${ctx.storeId} and status = 'active' and id > ${afterId}
       and updated_at <= ${ctx.now.subtract({ minutes: MINUTES_OF_A_NEW_ONE })}
     order by id limit ${limit}`
  )
}

export async function claimCouponWalk(ctx: Ctx, leaseOwner: number, leaseMs: number): Promise<CouponWalk | null> {
  if (ctx.isRestored) return null
  return ctx.tx.maybeOne(
    CouponWalk,
    sql`
    with due as (
      select store_id from loyalty_coupon_walks
       where store_id = ${ctx.storeId} and next_at <= ${ctx.now}
         and (leased_until is null or leased_until < statement_timestamp())
         and (rests_until is null or rests_until < statement_timestamp())
         for update skip locked)
    update loyalty_coupon_walks w
       set lease_token = w.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from due where w.store_id = ${ctx.storeId} and due.store_id = w.store_id
    returning w.after_id, w.failures, w.lease_token`
  )
}

/** Extends the lease on a walk; false when another process has it. */
export async function extendCouponWalk({ tx, storeId }: Ctx, walk: CouponWalk, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update loyalty_coupon_walks set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and lease_token = ${walk.leaseToken} and lease_owner is not null`)
  return extended === 1
}

/** Moves a walk behind its page; at the end (null) the next one is a day later. False when another process has it. */
export async function moveCouponWalk(ctx: Ctx, walk: CouponWalk, afterId: number | null): Promise<boolean> {
  const { later, exactly } = nextTimes(ctx)
  const moved = await ctx.tx.run(sql`
    update loyalty_coupon_walks w
       set after_id = ${afterId ?? 0}, failures = 0, last_error = null, lease_owner = null, leased_until = null,
           next_at = case when ${afterId !== null}::boolean then w.next_at
                          when s.clock_at is null then ${later}::timestamptz else ${exactly}::timestamptz end
      from stores s
     where s.store_id = ${ctx.storeId} and w.store_id = ${ctx.storeId} and w.lease_token = ${walk.leaseToken}`)
  return moved === 1
}

/** Puts a walk off whose page could not be compared; it goes on there. */
export async function putCouponWalkOff(ctx: Ctx, walk: CouponWalk, error: string): Promise<void> {
  const failures = walk.failures + 1
  await ctx.tx.run(sql`
    update loyalty_coupon_walks
       set failures = ${failures}, last_error = ${storableError(error)},
           rests_until = statement_timestamp() + ${retryMinutes(failures)} * interval '1 minute',
           lease_owner = null, leased_until = null
     where store_id = ${ctx.storeId} and lease_token = ${walk.leaseToken}`)
}

/** What rested in real time has waited since the end of that, by whatever clock. */
export const dueCouponWalks = dueQuery(
  'loyalty_coupon_walks_due',
  `select w.store_id,
          greatest(w.next_at, case when t.clock_at is null then w.rests_until
                                   else s.until - (statement_timestamp() - w.rests_until) end) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join loyalty_coupon_walks w on w.store_id = s.store_id and w.next_at <= s.until
     join stores t on t.store_id = s.store_id
    where (w.leased_until is null or w.leased_until < statement_timestamp())
      and (w.rests_until is null or w.rests_until < statement_timestamp())`
)

/** A test clock does not stop for it: nobody changes the platform while it moves. What rests in real time is nothing that it could be moved to. */
export const nextCouponWalk = directSql<[storeId: number]>(
  'next_loyalty_coupon_walk',
  `select w.next_at as at from loyalty_coupon_walks w join stores s on s.store_id = $1
    where w.store_id = $1 and w.next_at <= coalesce(s.clock_at, statement_timestamp())
      and (w.rests_until is null or w.rests_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseCouponWalks: LeaseRelease = (owners) => sql`
  update loyalty_coupon_walks set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
