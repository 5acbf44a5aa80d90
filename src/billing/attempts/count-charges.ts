import { type Ctx, int, row, sql } from '#kit/postgres'

/** Of the charges that were scheduled since then: how many are paid, how many failed, and how many have no outcome yet. */
export function countCharges(
  ctx: Ctx,
  since: Temporal.Instant
): Promise<{ succeeded: number; failed: number; pending: number }> {
  return ctx.tx.one(
    row({ succeeded: int, failed: int, pending: int }),
    sql`
    select count(*) filter (where status = 'success') as succeeded, count(*) filter (where status = 'failed') as failed,
           count(*) filter (where status = 'pending') as pending
      from billing_attempts
     where store_id = ${ctx.storeId} and status in ('success', 'failed', 'pending') and scheduled_at >= ${since}
       and coalesce(error_code, '') not in ('voided', 'superseded')`
  )
}
