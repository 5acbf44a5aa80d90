import { type Ctx, sql } from '#kit/postgres'
import { reassignCoupons } from '../coupons/end-coupons.ts'
import { transferTier } from '../customer-tiers/transfer-tier.ts'
import { giveReachedGoals } from './give-reached-goals.ts'

/**
 * Gives what was counted of a customer, and the rewards that stand, to another, after the platform merged the two. Both rows are locked. What is
 * counted once for a customer and was counted of both stays with each; rewards for goals follow those of the other, and goals that both together
 * have reached give theirs. Of their tiers the higher one stays. Points and credit are transferred by their ledgers before.
 */
export async function transferLoyalty(ctx: Ctx, from: number, to: number): Promise<void> {
  const { storeId } = ctx
  await ctx.tx.run(sql`
    update loyalty_awards a
       set member_id = ${to}, amount = a.amount + p.rewarded, key = 'goal:' || (a.amount + p.rewarded),
           nth = 1 + coalesce((select max(nth) from loyalty_awards b
                                where b.store_id = ${storeId} and b.rule_id = a.rule_id and b.member_id = ${to}
                                  and b.key = 'goal:' || (a.amount + p.rewarded)), 0)
      from (select g.rule_id, coalesce(max(q.rewarded), 0) as rewarded
              from (select distinct rule_id from loyalty_awards where store_id = ${storeId} and member_id = ${from}) g
              left join loyalty_progress q on q.store_id = ${storeId} and q.member_id = ${to} and q.rule_id = g.rule_id
             group by g.rule_id) p
     where a.store_id = ${storeId} and a.member_id = ${from} and a.rule_id = p.rule_id and a.key like 'goal:%' and a.reversed_at is null`)
  await ctx.tx.run(sql`
    update loyalty_awards a
       set member_id = ${to},
           nth = 1 + coalesce((select max(nth) from loyalty_awards b
                                where b.store_id = ${storeId} and b.rule_id = a.rule_id and b.member_id = ${to} and b.key = a.key), 0)
     where a.store_id = ${storeId} and a.member_id = ${from} and a.key not like 'goal:%' and a.reversed_at is null
       and not exists (select from loyalty_awards c where c.store_id = ${storeId} and c.rule_id = a.rule_id and c.member_id = ${to}
                          and c.key = a.key and c.reversed_at is null)`)
  await ctx.tx.run(sql`
    update loyalty_counts c set member_id = ${to}
     where c.store_id = ${storeId} and c.member_id = ${from}
       and not exists (select from loyalty_counts d where d.store_id = ${storeId} and d.rule_id = c.rule_id and d.member_id = ${to}
                          and d.cause = c.cause)`)
  await recountProgress(ctx, [from, to])
  await giveReachedGoals(ctx, to)
  await reassignCoupons(ctx, from, to)
  await transferTier(ctx, from, to)
  await ctx.tx.run(
    sql`update loyalty_receipts set member_id = ${to} where store_id = ${storeId} and member_id = ${from}`
  )
}

/** How far customers are, from what was counted of them and the rewards that stand. */
async function recountProgress(ctx: Ctx, memberIds: number[]): Promise<void> {
  const { storeId } = ctx
  await ctx.tx.run(sql`
    delete from loyalty_progress where store_id = ${storeId} and member_id = any(${memberIds}::bigint[])`)
  await ctx.tx.run(sql`
    insert into loyalty_progress (store_id, member_id, rule_id, counted, rewarded)
    select ${storeId}, s.member_id, s.rule_id, s.counted, s.rewarded
      from (select c.member_id, c.rule_id, sum(c.amount) as counted,
                   coalesce(max(a.goal), max(a.causes), 0) as rewarded
              from loyalty_counts c
              left join (select member_id, rule_id, max(amount) filter (where key like 'goal:%') as goal,
                                count(*) filter (where key not like 'goal:%' and key not like 'referred:%') as causes
                           from loyalty_awards
                          where store_id = ${storeId} and member_id = any(${memberIds}::bigint[]) and reversed_at is null
                          group by member_id, rule_id) a
                on a.member_id = c.member_id and a.rule_id = c.rule_id
             where c.store_id = ${storeId} and c.member_id = any(${memberIds}::bigint[])
             group by c.member_id, c.rule_id offset 0) s
    on conflict (store_id, member_id, rule_id) do nothing`)
}
