import { directSql, type Queries } from '#kit/postgres'
import { MemberView } from './views.ts'

const memberById = directSql<[storeId: number, memberId: number]>(
  'member_by_id',
  `select r.id, r.platform_customer_id, r.email, r.first_name, r.last_name, r.status, r.plan_id, r.plan_name, r.tier,
          r.loyalty_tier, r.loyalty_points, r.store_credit_minor, s.currency, r.birth_date, r.member_since, r.next_billing_at,
          r.created_at, r.updated_at
     from member_resources r join stores s on s.store_id = $1
    where r.store_id = $1 and r.id = $2`
)

/**
 * A member by our id, in one round trip; null for a customer who never was a member. `queries` is the direct pool, outside
 * row-level security, or a transaction, whose own writes are then read.
 */
export function findMember(queries: Queries, storeId: number, memberId: number): Promise<MemberView | null> {
  return queries.maybeOne(MemberView, memberById(storeId, memberId))
}
