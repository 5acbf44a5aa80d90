import { type Ctx, instant, int, nullable, row, sql } from '#kit/postgres'

/** Of an endpoint with more undelivered deliveries than that, the oldest are looked at. */
const LOOKED_AT = 10_000

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

/** The lowest sequence of these deliveries: one that was sent later may be of an earlier event. Null when there is none. */
export async function firstUndeliveredSequence(ctx: Ctx, endpointId: number): Promise<number | null> {
  const { first } = await ctx.tx.one(
    row({ first: nullable(int) }),
    sql`
    select min(u.sequence) as first from (
           select sequence from webhook_deliveries
            where store_id = ${ctx.storeId} and endpoint_id = ${endpointId} and undelivered_status is not null
              and fact_id is not null
            order by day, id limit ${LOOKED_AT}) u`
  )
  return first
}
