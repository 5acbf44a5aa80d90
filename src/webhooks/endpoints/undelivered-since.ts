import { type Ctx, instant, row, sql } from '#kit/postgres'

/**
 * When the first event occurred whose delivery to an endpoint has failed or was cancelled, and was not sent again (store time): it
 * may be from before the last success. Null when there is none.
 */
export async function undeliveredSince(ctx: Ctx, endpointId: number): Promise<Temporal.Instant | null> {
  const first = await ctx.tx.maybeOne(
    row({ createdAt: instant }),
    sql`
    select created_at from webhook_deliveries
     where store_id = ${ctx.storeId} and endpoint_id = ${endpointId} and undelivered_status is not null
       and fact_id is not null
     order by day, id limit 1`
  )
  return first?.createdAt ?? null
}
