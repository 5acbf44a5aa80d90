import { type Ctx, int, row, sql } from '#kit/postgres'
import { Activity } from './activity.ts'

/** A page of a contract's history, newest first, with the total number of entries. */
export async function listActivity(
  ctx: Ctx,
  subscriptionId: number,
  { limit, offset }: { limit: number; offset: number }
): Promise<{ rows: Activity[]; total: number }> {
  const { total } = await ctx.tx.one(
    row({ total: int }),
    sql`
    select count(*) as total from contract_activities
     where store_id = ${ctx.storeId} and subscription_id = ${subscriptionId}`
  )
  const rows = await ctx.tx.many(
    Activity,
    sql`
    select id, subscription_id, kind, actor, actor_id, text, notes, plan_group_name, plan_name, refs, occurred_at
      from contract_activities
     where store_id = ${ctx.storeId} and subscription_id = ${subscriptionId}
     order by id desc limit ${limit} offset ${offset}`
  )
  return { rows, total }
}
