import { type Ctx, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import type { Pair } from './deed.ts'

const Award = row({
  id: int,
  ruleId: int,
  version: int,
  memberId: int,
  key: text,
  nth: int,
  amount: int,
  points: nullable(int),
  pointsEntryId: nullable(int),
  creditEntryId: nullable(int),
  couponId: nullable(int),
  grantId: nullable(int),
  /** The store credit that it gave. */
  creditMinor: nullable(int)
})
/** A reward that stands. */
export type Award = RowOf<typeof Award>

/** The awards that stand for these causes, and those for goals beyond what is counted now. */
export function listStanding(
  ctx: Ctx,
  causes: (Pair & { cause: string })[],
  goals: (Pair & { counted: number })[]
): Promise<Award[]> {
  return ctx.tx.many(
    Award,
    sql`
    select a.id, a.rule_id, a.version, a.member_id, a.key, a.nth, a.amount, a.points, a.points_entry_id, a.credit_entry_id,
           a.coupon_id, a.grant_id, e.amount_minor as credit_minor
      from unnest(${causes.map((c) => c.ruleId)}::bigint[], ${causes.map((c) => c.memberId)}::bigint[],
                  ${causes.map((c) => c.cause)}::text[]) as w(rule_id, member_id, cause)
      join loyalty_awards a on a.store_id = ${ctx.storeId} and a.rule_id = w.rule_id and a.member_id = w.member_id
                           and a.key = w.cause and a.reversed_at is null
      left join credit_entries e on e.store_id = ${ctx.storeId} and e.id = a.credit_entry_id
    union all
    select a.id, a.rule_id, a.version, a.member_id, a.key, a.nth, a.amount, a.points, a.points_entry_id, a.credit_entry_id,
           a.coupon_id, a.grant_id, e.amount_minor as credit_minor
      from unnest(${goals.map((g) => g.ruleId)}::bigint[], ${goals.map((g) => g.memberId)}::bigint[],
                  ${goals.map((g) => g.counted)}::bigint[]) as w(rule_id, member_id, counted)
      join loyalty_awards a on a.store_id = ${ctx.storeId} and a.rule_id = w.rule_id and a.member_id = w.member_id
                           and a.key like 'goal:%' and a.amount > w.counted and a.reversed_at is null
      left join credit_entries e on e.store_id = ${ctx.storeId} and e.id = a.credit_entry_id
     order by 1`
  )
}

/** What a goal's award before the reversed ones has used: the largest amount that stands and is not beyond what is counted. */
export function listUsed(ctx: Ctx, pairs: (Pair & { counted: number })[]) {
  return ctx.tx.many(
    row({ ruleId: int, memberId: int, used: int }),
    sql`
    select a.rule_id, a.member_id, max(a.amount) as used
      from unnest(${pairs.map((p) => p.ruleId)}::bigint[], ${pairs.map((p) => p.memberId)}::bigint[],
                  ${pairs.map((p) => p.counted)}::bigint[]) as w(rule_id, member_id, counted)
      join loyalty_awards a on a.store_id = ${ctx.storeId} and a.rule_id = w.rule_id and a.member_id = w.member_id
                           and a.key like 'goal:%' and a.amount <= w.counted and a.reversed_at is null
     group by a.rule_id, a.member_id`
  )
}

/** How often a reward was given under each key until now; keys of which none was are not in it. */
export async function countGiven(ctx: Ctx, keys: (Pair & { key: string })[]): Promise<Map<string, number>> {
  const rows = await ctx.tx.many(
    row({ ruleId: int, memberId: int, key: text, nth: int }),
    sql`
    select a.rule_id, a.member_id, a.key, max(a.nth) as nth
      from unnest(${keys.map((k) => k.ruleId)}::bigint[], ${keys.map((k) => k.memberId)}::bigint[], ${keys.map((k) => k.key)}::text[])
             as w(rule_id, member_id, key)
      join loyalty_awards a on a.store_id = ${ctx.storeId} and a.rule_id = w.rule_id and a.member_id = w.member_id and a.key = w.key
     group by a.rule_id, a.member_id, a.key`
  )
  return new Map(rows.map((one) => [awardKey(one), one.nth]))
}

export const awardKey = ({ ruleId, memberId, key }: Pair & { key: string }): string => `${ruleId}:${memberId}:${key}`

/** An award that is to be written. */
export type NewAward = Omit<Award, 'id' | 'creditMinor'> & { orderId: number | null }

export async function insertAwards(ctx: Ctx, awards: NewAward[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_awards (store_id, rule_id, version, member_id, key, nth, amount, order_id, points, points_entry_id,
                                credit_entry_id, coupon_id, grant_id, given_at)
    select ${ctx.storeId}, a.rule_id, a.version, a.member_id, a.key, a.nth, a.amount, a.order_id, a.points, a.points_entry_id,
           a.credit_entry_id, a.coupon_id, a.grant_id, ${ctx.now}
      from unnest(${awards.map((a) => a.ruleId)}::bigint[], ${awards.map((a) => a.version)}::int[],
                  ${awards.map((a) => a.memberId)}::bigint[], ${awards.map((a) => a.key)}::text[], ${awards.map((a) => a.nth)}::int[],
                  ${awards.map((a) => a.amount)}::bigint[], ${awards.map((a) => a.orderId)}::bigint[],
                  ${awards.map((a) => a.points)}::bigint[], ${awards.map((a) => a.pointsEntryId)}::bigint[],
                  ${awards.map((a) => a.creditEntryId)}::bigint[], ${awards.map((a) => a.couponId)}::bigint[],
                  ${awards.map((a) => a.grantId)}::bigint[])
           with ordinality as a(rule_id, version, member_id, key, nth, amount, order_id, points, points_entry_id, credit_entry_id,
                                coupon_id, grant_id, place)
     order by a.place
    on conflict do nothing`)
}

export async function markReversed(ctx: Ctx, awardIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_awards set reversed_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${awardIds}::bigint[]) and reversed_at is null`)
}
