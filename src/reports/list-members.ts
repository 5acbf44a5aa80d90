import { type Ctx, sql } from '#kit/postgres'
import { MemberView, type Page, Total } from './views.ts'

export type MemberFilters = {
  status?: 'active' | 'paused' | 'cancelled'
  planId?: number
  /** Compared without case. */
  email?: string
  limit: number
  offset: number
}

/** Members, newest first, id breaking ties. Filters combine; one that is left out lets everything through. */
export async function listMembers(ctx: Ctx, filters: MemberFilters): Promise<Page<MemberView>> {
  const { status = null, planId = null, email = null, limit, offset } = filters
  const { total } = await ctx.tx.one(
    Total,
    sql`
    select count(*) as total from members m
     where m.store_id = ${ctx.storeId} and m.status is not null
       and (${status}::text is null or m.status = ${status}) and (${planId}::bigint is null or m.plan_id = ${planId})
       and (${email}::text is null or lower(m.email) = lower(${email}))`
  )
  const rows = await ctx.tx.many(
    MemberView,
    sql`
    select m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.plan_id, p.name as plan_name,
           p.tier_name as tier, m.loyalty_points, m.store_credit_minor, s.currency, m.birth_date, m.member_since,
           m.next_billing_at, m.created_at, m.updated_at
      from members m
      join stores s on s.store_id = m.store_id
      left join plans p on p.store_id = m.store_id and p.id = m.plan_id
     where m.store_id = ${ctx.storeId} and m.status is not null
       and (${status}::text is null or m.status = ${status}) and (${planId}::bigint is null or m.plan_id = ${planId})
       and (${email}::text is null or lower(m.email) = lower(${email}))
     order by m.created_at desc, m.id desc limit ${limit} offset ${offset}`
  )
  return { rows, total }
}
