import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'
import type { Count, Deed, Pair } from './deed.ts'

/** What was counted of these deeds, of orders for whomever. */
export function listCounts(ctx: Ctx, deeds: Deed[]): Promise<Count[]> {
  const orderIds = deeds.flatMap(({ orderId }) => orderId ?? [])
  const others = deeds.filter(({ orderId }) => orderId === null)
  return ctx.tx.many(
    row({
      ruleId: int,
      memberId: int,
      cause: text,
      version: int,
      amount: int,
      multiplierHundredths: int,
      orderId: nullable(int),
      at: instant
    }),
    sql`
    select rule_id, member_id, cause, version, amount, multiplier_hundredths, order_id, counted_at as at from loyalty_counts
     where store_id = ${ctx.storeId} and order_id = any(${orderIds}::bigint[])
    union all
    select c.rule_id, c.member_id, c.cause, c.version, c.amount, c.multiplier_hundredths, c.order_id, c.counted_at
      from unnest(${others.map((d) => d.memberId)}::bigint[], ${others.map((d) => d.key)}::text[]) as d(member_id, cause)
      join loyalty_counts c on c.store_id = ${ctx.storeId} and c.member_id = d.member_id and c.cause = d.cause and c.order_id is null`
  )
}

export async function writeCounts(ctx: Ctx, counts: Count[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_counts (store_id, rule_id, member_id, cause, version, amount, multiplier_hundredths, order_id, counted_at)
    select ${ctx.storeId}, c.rule_id, c.member_id, c.cause, c.version, c.amount, c.multiplier, c.order_id, c.at
      from unnest(${counts.map((c) => c.ruleId)}::bigint[], ${counts.map((c) => c.memberId)}::bigint[],
                  ${counts.map((c) => c.cause)}::text[], ${counts.map((c) => c.version)}::int[], ${counts.map((c) => c.amount)}::bigint[],
                  ${counts.map((c) => c.multiplierHundredths)}::int[], ${counts.map((c) => c.orderId)}::bigint[],
                  ${counts.map((c) => c.at)}::timestamptz[])
             as c(rule_id, member_id, cause, version, amount, multiplier, order_id, at)
     order by c.rule_id, c.member_id, c.cause
    on conflict (store_id, rule_id, member_id, cause) do update set amount = excluded.amount`)
}

/** How far customers are with rules; the pairs of which nothing was counted yet are not in it. */
export type Progress = Pair & { counted: number; rewarded: number }

export function listProgress(ctx: Ctx, pairs: Pair[]): Promise<Progress[]> {
  return ctx.tx.many(
    row({ ruleId: int, memberId: int, counted: int, rewarded: int }),
    sql`
    select p.rule_id, p.member_id, p.counted, p.rewarded
      from unnest(${pairs.map((p) => p.ruleId)}::bigint[], ${pairs.map((p) => p.memberId)}::bigint[]) as w(rule_id, member_id)
      join loyalty_progress p on p.store_id = ${ctx.storeId} and p.rule_id = w.rule_id and p.member_id = w.member_id`
  )
}

export async function writeProgress(ctx: Ctx, progress: Progress[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_progress (store_id, member_id, rule_id, counted, rewarded)
    select ${ctx.storeId}, p.member_id, p.rule_id, p.counted, p.rewarded
      from unnest(${progress.map((p) => p.memberId)}::bigint[], ${progress.map((p) => p.ruleId)}::bigint[],
                  ${progress.map((p) => p.counted)}::bigint[], ${progress.map((p) => p.rewarded)}::bigint[])
             as p(member_id, rule_id, counted, rewarded)
     order by p.member_id, p.rule_id
    on conflict (store_id, member_id, rule_id) do update set counted = excluded.counted, rewarded = excluded.rewarded`)
}
