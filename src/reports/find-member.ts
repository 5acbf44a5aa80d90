import { directSql, type Queries } from '#kit/postgres'
import { MemberView } from './views.ts'

const memberById = directSql<[storeId: number, memberId: number]>(
  'member_by_id',
  `select m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.plan_id, p.name as plan_name,
          p.tier_name as tier, m.loyalty_points, m.store_credit_minor, s.currency, m.birth_date, m.member_since,
          m.next_billing_at, m.created_at, m.updated_at
     from members m
     join stores s on s.store_id = $1
     left join plans p on p.store_id = $1 and p.id = m.plan_id
    where m.store_id = $1 and m.id = $2 and m.status is not null`
)

/** A member by our id, in one round trip outside row-level security; null for a customer who never was a member. */
export function findMember(direct: Queries, storeId: number, memberId: number): Promise<MemberView | null> {
  return direct.maybeOne(MemberView, memberById(storeId, memberId))
}
