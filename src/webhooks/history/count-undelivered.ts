import { type Ctx, int, row, sql } from '#kit/postgres'

/** How many deliveries ended without success since then (store time), because every try failed. */
export async function countUndelivered(ctx: Ctx, since: Temporal.Instant): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from webhook_deliveries
     where store_id = ${ctx.storeId} and undelivered_status is not null and undelivered_status = 'failed'
       and undelivered_at >= ${since}`
  )
  return count
}
