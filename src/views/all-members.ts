import { directSql, type Queries } from '#kit/postgres'
import { MemberView } from './views.ts'

const ROWS_AT_ONCE = 1_000

const membersAfter = directSql<[storeId: number, afterId: number, status: string, planId: number, limit: number]>(
  'members_after',
  `select r.id, r.platform_customer_id, r.email, r.first_name, r.last_name, r.status, r.plan_id, r.plan_name, r.tier,
          r.loyalty_tier, r.loyalty_points, r.store_credit_minor, s.currency, r.birth_date,
          r.member_since at time zone 'UTC' as member_since, r.next_billing_at at time zone 'UTC' as next_billing_at,
          r.created_at at time zone 'UTC' as created_at, r.updated_at at time zone 'UTC' as updated_at
     from member_resources r join stores s on s.store_id = $1
    where r.store_id = $1 and r.id > $2 and ($3 = '' or r.status = $3) and ($4 = 0 or r.plan_id = $4)
    order by r.id limit $5`
)

/** All members of a store, or those of a status and a plan, in parts, the first to become known first. What changes meanwhile is there as it was then or as it is after it. */
export async function* allMembers(
  direct: Queries,
  storeId: number,
  { status, planId }: { status: MemberView['status'] | null; planId: number | null }
): AsyncGenerator<MemberView[]> {
  for (let after = 0; ; ) {
    const rows = await direct.many(MemberView, membersAfter(storeId, after, status ?? '', planId ?? 0, ROWS_AT_ONCE))
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)!.id
  }
}
