import { type Ctx, sql } from '#kit/postgres'

/**
 * Stores the balances of customers at an integration, by our number of the customer, in points. One that has not changed is not written. The
 * integration must be locked.
 */
export async function storeBalances(ctx: Ctx, key: string, points: Map<number, number>): Promise<void> {
  if (points.size === 0) return
  const changed = await ctx.tx.run(sql`
    insert into reward_balances as b (store_id, key, member_id, points, updated_at)
    select ${ctx.storeId}, ${key}, t.member_id, t.points, ${ctx.now}
      from unnest(${[...points.keys()]}::bigint[], ${[...points.values()]}::bigint[]) as t(member_id, points)
     order by t.member_id
    on conflict (store_id, key, member_id) do update set points = excluded.points, updated_at = excluded.updated_at
     where b.points <> excluded.points`)
  if (changed === 0) return
  await ctx.tx.run(sql`
    update reward_integrations set balances_version = balances_version + 1 where store_id = ${ctx.storeId} and key = ${key}`)
}
