import { type Ctx, int, row, sql } from '#kit/postgres'

/** How many charges that were scheduled since then are paid, and how many failed. */
export function countFinishedCharges(
  ctx: Ctx,
  since: Temporal.Instant
): Promise<{ succeeded: number; failed: number }> {
  return ctx.tx.one(
    row({ succeeded: int, failed: int }),
    sql`
    select count(*) filter (where status = 'success') as succeeded, count(*) filter (where status = 'failed') as failed
      from billing_attempts
     where store_id = ${ctx.storeId} and status in ('success', 'failed') and scheduled_at >= ${since}
       and coalesce(error_code, '') not in ('voided', 'superseded')`
  )
}
