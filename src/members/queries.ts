import { type Bound, type Ctx, day, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { KnownCustomer } from './customer.ts'

/** Customers by our number, including those who are not members, in no order. */
export function listCustomers(ctx: Bound, ids: number[]) {
  return ctx.tx.many(
    KnownCustomer,
    sql`
    select id, platform_customer_id, email, first_name, last_name, status, member_since
      from members where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])`
  )
}

/**
 * Locks the rows in order of id, so that two writers cannot deadlock. Unknown customers are left out. The lock is `for no key
 * update`, as all locks here, so that ledger entries, which only reference a member, do not wait for it.
 */
export function lockCustomers(ctx: Ctx, platformIds: string[]) {
  return ctx.tx.many(
    KnownCustomer,
    sql`
    select id, platform_customer_id, email, first_name, last_name, status, member_since
      from members
     where store_id = ${ctx.storeId} and platform_customer_id = any(${platformIds}::text[])
     order by id for no key update`
  )
}

/** A member as events have them. */
export const MemberSnapshot = row({
  id: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  status: oneOf('active', 'paused', 'cancelled'),
  planId: nullable(int),
  planName: nullable(text),
  tier: nullable(text),
  loyaltyTier: nullable(text),
  loyaltyPoints: int,
  storeCreditMinor: int,
  birthDate: nullable(day),
  memberSince: instant,
  nextBillingAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})
export type MemberSnapshot = RowOf<typeof MemberSnapshot>

/** The members among the ids; a customer who never held a subscription is left out. */
export function listMemberSnapshots(ctx: Ctx, ids: number[]) {
  return ctx.tx.many(
    MemberSnapshot,
    sql`
    select id, platform_customer_id, email, first_name, last_name, status, plan_id, plan_name, tier, loyalty_tier,
           loyalty_points, store_credit_minor, birth_date, member_since, next_billing_at, created_at, updated_at
      from member_resources
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])
     order by id`
  )
}

/** The membership that results from all subscriptions of a member. */
export type MembershipStatus = {
  memberId: number
  status: 'active' | 'paused' | 'cancelled'
  planId: number | null
  memberSince: Temporal.Instant
  nextBillingAt: Temporal.Instant | null
}

const MembershipStatusBefore = row({
  id: int,
  email: nullable(text),
  memberSince: nullable(instant),
  status: nullable(oneOf('active', 'paused', 'cancelled')),
  planId: nullable(int)
})
export type MembershipStatusBefore = RowOf<typeof MembershipStatusBefore>

/** Locks the rows in order of id, and returns the membership before; status is null for one who was not a member. */
export function lockMembers(ctx: Ctx, ids: number[]) {
  return ctx.tx.many(
    MembershipStatusBefore,
    sql`
    select id, email, member_since, status, plan_id from members
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])
     order by id for no key update`
  )
}

/**
 * Writes the statuses that differ. The rows must be locked by a statement before: in one statement, whether the lock or the
 * update reaches a row first would depend on the plan.
 */
export async function markMembershipStatuses(ctx: Ctx, memberships: MembershipStatus[]): Promise<void> {
  await ctx.tx.run(sql`
    update members m
       set status = s.status, plan_id = s.plan_id, member_since = coalesce(m.member_since, s.member_since),
           next_billing_at = s.next_billing_at, updated_at = ${ctx.now}
      from unnest(${memberships.map((s) => s.memberId)}::bigint[], ${memberships.map((s) => s.status)}::text[],
                  ${memberships.map((s) => s.planId)}::bigint[], ${memberships.map((s) => s.memberSince)}::timestamptz[],
                  ${memberships.map((s) => s.nextBillingAt)}::timestamptz[])
             as s(member_id, status, plan_id, member_since, next_billing_at)
     where m.store_id = ${ctx.storeId} and m.id = s.member_id
       and (m.status, m.plan_id, m.next_billing_at) is distinct from (s.status, s.plan_id, s.next_billing_at)`)
}
