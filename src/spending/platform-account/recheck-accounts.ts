import { type Ctx, int, row, sql } from '#kit/postgres'
import { walkSpendingNow } from '../spending-walks.ts'
import { isMirrored, listWays } from '../ways.ts'

/**
 * Has every account compared after the store was restored from a backup. What was adjusted there since then was us: the ledger, which
 * has taken over what the platform charged meanwhile, decides what is right.
 */
export async function recheckAccounts(ctx: Ctx): Promise<void> {
  const holders = await ctx.tx.many(
    row({ memberId: int }),
    sql`select member_id from credit_accounts where store_id = ${ctx.storeId}`
  )
  const ways = await listWays(
    ctx,
    holders.map(({ memberId }) => memberId)
  )
  const mirrored = [...ways].flatMap(([memberId, way]) => (isMirrored(way) ? [memberId] : []))
  await ctx.tx.run(sql`
    insert into spending_accounts (store_id, member_id, due_at, changed_at, is_restored)
    select ${ctx.storeId}, m.id, ${ctx.now}, ${ctx.now}, true from unnest(${mirrored}::bigint[]) as m(id) order by m.id
    on conflict (store_id, member_id) do nothing`)
  await ctx.tx.run(sql`
    update spending_accounts
       set due_at = least(due_at, ${ctx.now}::timestamptz), version = version + 1, is_restored = true, attempts = 0, problem = null,
           order_awaited_since = null
     where store_id = ${ctx.storeId}`)
  await walkSpendingNow(ctx)
}
