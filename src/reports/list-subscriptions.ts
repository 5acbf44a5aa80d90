import { type Ctx, sql } from '#kit/postgres'
import { type Page, SubscriptionView, Total } from './views.ts'

export type SubscriptionFilters = {
  /** As shown: cancelled takes in failed and expired. */
  status?: 'active' | 'paused' | 'cancelled'
  planId?: number
  memberId?: number
  /** Exclusive. */
  createdAfter?: Temporal.Instant
  /** Exclusive. */
  createdBefore?: Temporal.Instant
  limit: number
  offset: number
}

const STATUSES = { active: ['active'], paused: ['paused'], cancelled: ['cancelled', 'failed', 'expired'] }

/** Subscriptions, newest first, id breaking ties. Filters combine; one that is left out lets everything through. */
export async function listSubscriptions(ctx: Ctx, filters: SubscriptionFilters): Promise<Page<SubscriptionView>> {
  const { planId = null, memberId = null, createdAfter = null, createdBefore = null, limit, offset } = filters
  const statuses = filters.status ? STATUSES[filters.status] : null
  const { total } = await ctx.tx.one(
    Total,
    sql`
    select count(*) as total from subscriptions s
     where s.store_id = ${ctx.storeId} and (${statuses}::text[] is null or s.status = any(${statuses}))
       and (${planId}::bigint is null or s.plan_id = ${planId})
       and (${memberId}::bigint is null or s.member_id = ${memberId})
       and (${createdAfter}::timestamptz is null or s.created_at > ${createdAfter})
       and (${createdBefore}::timestamptz is null or s.created_at < ${createdBefore})`
  )
  const rows = await ctx.tx.many(
    SubscriptionView,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name, s.name as plan_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and (${statuses}::text[] is null or s.status = any(${statuses}))
       and (${planId}::bigint is null or s.plan_id = ${planId})
       and (${memberId}::bigint is null or s.member_id = ${memberId})
       and (${createdAfter}::timestamptz is null or s.created_at > ${createdAfter})
       and (${createdBefore}::timestamptz is null or s.created_at < ${createdBefore})
     order by s.created_at desc, s.id desc limit ${limit} offset ${offset}`
  )
  return { rows, total }
}
