import { type Ctx, sql } from '#kit/postgres'
import { BillingAttemptView, type Page, Total } from './views.ts'

export type BillingAttemptFilters = {
  subscriptionId?: number
  status?: 'pending' | 'success' | 'failed'
  /** Exclusive, on the attempt's date. */
  after?: Temporal.Instant
  /** Exclusive, on the attempt's date. */
  before?: Temporal.Instant
  limit: number
  offset: number
}

/** Billing attempts, newest first by their date, id breaking ties. Filters combine. */
export async function listBillingAttempts(ctx: Ctx, filters: BillingAttemptFilters): Promise<Page<BillingAttemptView>> {
  const { subscriptionId = null, status = null, after = null, before = null, limit, offset } = filters
  const { total } = await ctx.tx.one(
    Total,
    sql`
    select count(*) as total from billing_attempts a
     where a.store_id = ${ctx.storeId}
       and (${subscriptionId}::bigint is null or a.subscription_id = ${subscriptionId})
       and (${status}::text is null or a.status = ${status})
       and (${after}::timestamptz is null or a.scheduled_at > ${after})
       and (${before}::timestamptz is null or a.scheduled_at < ${before})`
  )
  const rows = await ctx.tx.many(
    BillingAttemptView,
    sql`
    select a.*, o.platform_order_id, o.number as order_number
      from billing_attempts a left join orders o on o.store_id = a.store_id and o.id = a.order_id
     where a.store_id = ${ctx.storeId}
       and (${subscriptionId}::bigint is null or a.subscription_id = ${subscriptionId})
       and (${status}::text is null or a.status = ${status})
       and (${after}::timestamptz is null or a.scheduled_at > ${after})
       and (${before}::timestamptz is null or a.scheduled_at < ${before})
     order by a.scheduled_at desc, a.id desc limit ${limit} offset ${offset}`
  )
  return { rows, total }
}
