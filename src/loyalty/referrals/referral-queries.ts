import { bool, type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import {
  REFERRAL_STATES,
  type Referral,
  ReferralRow,
  type ReferralStatus,
  type RefusedReferral,
  referralReason
} from './referral.ts'

/** Identifies the cause of a referral among those of who is rewarded for it, and that of the friend's reward. */
export const referralKey = (orderId: number): string => `referral:${orderId}`
export const friendKey = (orderId: number): string => `referred:${orderId}`

/** Who is locked with the customers of these orders, since what the orders have earned may change theirs: the referrers. */
export async function listReferrersOf(ctx: Ctx, orderIds: number[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select c.member_id
      from orders o cross join lateral unnest(o.discount_codes) as d(code)
      join loyalty_referral_codes c on c.store_id = ${ctx.storeId} and upper(c.code) = upper(d.code)
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[])
    union
    select r.referrer_id
      from orders o join loyalty_referrals r on r.store_id = ${ctx.storeId} and r.friend_id = o.member_id
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[])`
  )
  return rows.map(({ memberId }) => memberId)
}

/** Those of the customers of these orders of whom an order has the code of a customer. */
export async function listFriends(ctx: Ctx, orderIds: number[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select o.member_id
      from orders o cross join lateral unnest(o.discount_codes) as d(code)
      join loyalty_referral_codes c on c.store_id = ${ctx.storeId} and upper(c.code) = upper(d.code)
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[]) and o.member_id is not null
    union
    select o.member_id
      from orders o join loyalty_referrals r on r.store_id = ${ctx.storeId} and r.friend_id = o.member_id
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[])`
  )
  return rows.map(({ memberId }) => memberId)
}

const CodedOrder = row({
  orderId: int,
  friendId: int,
  orderedAt: instant,
  codeId: int,
  referrerId: int,
  firstOrderId: int,
  friendEmail: nullable(text),
  referrerEmail: nullable(text),
  isReferrerGone: bool,
  knownFriendId: nullable(int),
  state: nullable(oneOf(...REFERRAL_STATES)),
  reason: referralReason,
  paidAt: nullable(instant)
})
/** An order with the code of a customer, and what was decided of it before, of `knownFriendId`; `state` is null where nothing was. */
export type CodedOrder = RowOf<typeof CodedOrder>

/**
 * All orders of these customers with the code of a customer, and the first order of each. Of two such codes the first counts, and the one by which
 * an order was decided before, though it is taken off the order since.
 */
export function listCodedOrders(ctx: Ctx, friendIds: number[]): Promise<CodedOrder[]> {
  return ctx.tx.many(
    CodedOrder,
    sql`
    with used as (
      select o.id as order_id, o.member_id as friend_id, o.processed_at, r.code_id, r.referrer_id, 0 as place
        from orders o join loyalty_referrals r on r.store_id = ${ctx.storeId} and r.order_id = o.id
       where o.store_id = ${ctx.storeId} and o.member_id = any(${friendIds}::bigint[])
       union all
      select o.id, o.member_id, o.processed_at, c.id, c.member_id, d.place
        from orders o cross join lateral unnest(o.discount_codes) with ordinality as d(code, place)
        join loyalty_referral_codes c on c.store_id = ${ctx.storeId} and upper(c.code) = upper(d.code)
       where o.store_id = ${ctx.storeId} and o.member_id = any(${friendIds}::bigint[])),
    coded as (select distinct on (order_id) * from used order by order_id, place),
    firsts as (
      select distinct on (o.member_id) o.member_id, o.id as order_id from orders o
       where o.store_id = ${ctx.storeId} and o.member_id = any(${friendIds}::bigint[])
       order by o.member_id, o.processed_at, o.id)
    select c.order_id, c.friend_id, c.processed_at as ordered_at, c.code_id, c.referrer_id, f.order_id as first_order_id,
           friend.email as friend_email, referrer.email as referrer_email,
           referrer.erased_at is not null or referrer.platform_deleted_at is not null as is_referrer_gone, r.friend_id as known_friend_id,
             r.state, r.reason, r.paid_at
      from coded c
      join firsts f on f.member_id = c.friend_id
      join members friend on friend.store_id = ${ctx.storeId} and friend.id = c.friend_id
      join members referrer on referrer.store_id = ${ctx.storeId} and referrer.id = c.referrer_id
      left join loyalty_referrals r on r.store_id = ${ctx.storeId} and r.order_id = c.order_id
     order by c.order_id`
  )
}

/** A referral as it is to be now. */
export type DecidedReferral = Pick<
  CodedOrder,
  'orderId' | 'friendId' | 'referrerId' | 'codeId' | 'orderedAt' | 'paidAt'
> & { state: (typeof REFERRAL_STATES)[number]; reason: RefusedReferral | null }

/** Those that are refused come first: of a friend one alone is not. */
export async function writeReferrals(ctx: Ctx, referrals: DecidedReferral[]): Promise<void> {
  const isRefused = ({ state }: DecidedReferral) => state === 'refused'
  for (const some of [referrals.filter(isRefused), referrals.filter((one) => !isRefused(one))]) {
    if (some.length === 0) continue
    await ctx.tx.run(sql`
      insert into loyalty_referrals (store_id, order_id, friend_id, referrer_id, code_id, state, reason, ordered_at, paid_at, created_at,
                                     updated_at)
      select ${ctx.storeId}, r.order_id, r.friend_id, r.referrer_id, r.code_id, r.state, r.reason, r.ordered_at, r.paid_at, ${ctx.now},
             ${ctx.now}
        from unnest(${some.map((one) => one.orderId)}::bigint[], ${some.map((one) => one.friendId)}::bigint[],
                    ${some.map((one) => one.referrerId)}::bigint[], ${some.map((one) => one.codeId)}::bigint[],
                    ${some.map((one) => one.state)}::text[], ${some.map((one) => one.reason)}::text[],
                    ${some.map((one) => one.orderedAt)}::timestamptz[], ${some.map((one) => one.paidAt)}::timestamptz[])
               as r(order_id, friend_id, referrer_id, code_id, state, reason, ordered_at, paid_at)
       order by r.order_id
      on conflict (store_id, order_id) do update
        set friend_id = excluded.friend_id, referrer_id = excluded.referrer_id, state = excluded.state, reason = excluded.reason,
            paid_at = excluded.paid_at, updated_at = excluded.updated_at`)
  }
}

/** Referrals whose addresses are to be compared, the oldest first. */
export function listReferralsToCheck(ctx: Ctx, limit: number) {
  return ctx.tx.many(
    row({ id: int, orderId: int, platformOrderId: text, platformReferrerId: text }),
    sql`
    select r.id, r.order_id, o.platform_order_id, m.platform_customer_id as platform_referrer_id
      from loyalty_referrals r
      join orders o on o.store_id = ${ctx.storeId} and o.id = r.order_id
      join members m on m.store_id = ${ctx.storeId} and m.id = r.referrer_id
     where r.store_id = ${ctx.storeId} and r.state = 'checking' order by r.id limit ${limit}`
  )
}

/** False where it waits for this no more. */
export async function markReferralChecked(ctx: Ctx, id: number, isSameAddress: boolean): Promise<boolean> {
  const marked = await ctx.tx.run(sql`
    update loyalty_referrals
       set state = ${isSameAddress ? 'refused' : 'valid'}, reason = ${isSameAddress ? 'same_address' : null}::text, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and state = 'checking'`)
  return marked === 1
}

/** Which referrals are listed; what is null is not asked. `beforeId`: only older ones. */
export type ReferralFilter = {
  memberId: number | null
  status: ReferralStatus | null
  beforeId: number | null
  limit: number
}

/** Newest first; of a customer those of friends, and their own. */
export function listReferrals(ctx: Ctx, { memberId, status, beforeId, limit }: ReferralFilter): Promise<Referral[]> {
  return ctx.tx.many(
    ReferralRow,
    sql`
    with listed as (
      select r.id, r.order_id, r.friend_id, r.referrer_id, r.code_id, r.reason, r.ordered_at, r.updated_at,
             case when r.state <> 'valid' then r.state
                  when exists (select from loyalty_counts n
                                where n.store_id = ${ctx.storeId} and n.member_id = r.referrer_id
                                  and n.cause = 'referral:' || r.order_id and n.amount > 0) then 'counted'
                  else 'not_counted' end as status
        from loyalty_referrals r
       where r.store_id = ${ctx.storeId}
         and (${memberId}::bigint is null or ${memberId}::bigint in (r.friend_id, r.referrer_id))
         and (${beforeId}::bigint is null or r.id < ${beforeId}::bigint))
    select r.id, r.order_id, o.name as order_name, r.friend_id, r.referrer_id, c.code, r.status, r.reason, r.ordered_at, r.updated_at
      from listed r
      join orders o on o.store_id = ${ctx.storeId} and o.id = r.order_id
      join loyalty_referral_codes c on c.store_id = ${ctx.storeId} and c.id = r.code_id
     where ${status}::text is null or r.status = ${status}::text
     order by r.id desc limit ${limit}`
  )
}

/** What rules have counted of these referrals, by their orders. */
export function listReferralCounts(ctx: Ctx, referrals: { orderId: number; referrerId: number }[]) {
  return ctx.tx.many(
    row({ orderId: int, ruleId: int, version: int, amount: int, at: instant }),
    sql`
    select r.order_id, c.rule_id, c.version, c.amount, c.counted_at as at
      from unnest(${referrals.map(({ orderId }) => orderId)}::bigint[], ${referrals.map(({ referrerId }) => referrerId)}::bigint[])
             as r(order_id, referrer_id)
      join loyalty_counts c on c.store_id = ${ctx.storeId} and c.member_id = r.referrer_id and c.cause = 'referral:' || r.order_id`
  )
}

/** Gives what was referred by a customer, and to one, to the customer who was kept of a merge; their own are decided anew. */
export async function reassignReferrals(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_referrals r
       set state = 'refused', reason = 'not_new', updated_at = ${ctx.now}
     where r.store_id = ${ctx.storeId} and r.friend_id = ${from} and r.state <> 'refused'
       and exists (select from loyalty_referrals o where o.store_id = ${ctx.storeId} and o.friend_id = ${to} and o.state <> 'refused')`)
  await ctx.tx.run(sql`
    update loyalty_referrals
       set friend_id = case when friend_id = ${from} then ${to}::bigint else friend_id end,
           referrer_id = case when referrer_id = ${from} then ${to}::bigint else referrer_id end, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and (friend_id = ${from} or referrer_id = ${from})`)
}
