import { type Bound, type Ctx, day, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { type CustomerUpdate, KnownCustomer, truncateFields } from './customer.ts'

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

/**
 * Writes newer values, and returns the rows that it changed. A value that the source does not have (null) leaves ours, and so
 * does a field that waits to be pushed, because the platform's value is then older. The rows must be locked.
 */
export function updateCustomers(ctx: Ctx, customers: CustomerUpdate[]) {
  return ctx.tx.many(
    KnownCustomer,
    sql`
    with updates as (
      select k.id, c.updated_at,
             case when 'email' = any(k.profile_pending) then k.email else coalesce(c.email, k.email) end as email,
             case when 'first_name' = any(k.profile_pending) then k.first_name
                  else coalesce(c.first_name, k.first_name) end as first_name,
             case when 'last_name' = any(k.profile_pending) then k.last_name
                  else coalesce(c.last_name, k.last_name) end as last_name,
             coalesce(c.country, k.country_code) as country, coalesce(c.province, k.province_code) as province
        from unnest(${customers.map((c) => c.id)}::text[], ${customers.map((c) => c.email)}::text[],
                    ${customers.map((c) => c.firstName)}::text[], ${customers.map((c) => c.lastName)}::text[],
                    ${customers.map((c) => c.countryCode ?? null)}::text[],
                    ${customers.map((c) => c.provinceCode ?? null)}::text[],
                    ${customers.map((c) => c.updatedAt ?? null)}::timestamptz[])
               as c(platform_id, email, first_name, last_name, country, province, updated_at)
        join members k on k.store_id = ${ctx.storeId} and k.platform_customer_id = c.platform_id
       where k.platform_updated_at is null or c.updated_at is null or c.updated_at >= k.platform_updated_at),
    changed as (
      select n.*, (m.email, m.first_name, m.last_name, m.country_code, m.province_code)
                  is distinct from (n.email, n.first_name, n.last_name, n.country, n.province) as is_changed
        from updates n join members m on m.store_id = ${ctx.storeId} and m.id = n.id)
    update members m
       set email = c.email, first_name = c.first_name, last_name = c.last_name, country_code = c.country,
           province_code = c.province, platform_updated_at = coalesce(c.updated_at, m.platform_updated_at),
           updated_at = case when c.is_changed then ${ctx.now}::timestamptz else m.updated_at end
      from changed c
     where m.store_id = ${ctx.storeId} and m.id = c.id
       and (c.is_changed or (c.updated_at is not null and c.updated_at is distinct from m.platform_updated_at))
    returning m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.member_since`
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
    select id, platform_customer_id, email, first_name, last_name, status, plan_id, plan_name, tier, loyalty_points,
           store_credit_minor, birth_date, member_since, next_billing_at, created_at, updated_at
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

/**
 * Inserts the customers that have no row. Existing ones stay as they are and use up no number of the sequence. Those who were erased are
 * left out; a process that cannot tell who that is inserts nobody where somebody was.
 */
export async function insertMissingCustomers(ctx: Ctx, given: CustomerUpdate[]): Promise<void> {
  const customers = given.map(truncateFields)
  const keys = customers.map(({ id }) => ctx.pseudonym(ctx.storeId, `customer:${id}`))
  await ctx.tx.run(sql`
    insert into members (store_id, platform_customer_id, email, first_name, last_name, created_at, updated_at)
    select ${ctx.storeId}, c.id, c.email, c.first_name, c.last_name, ${ctx.now}, ${ctx.now}
      from unnest(${customers.map((c) => c.id)}::text[], ${customers.map((c) => c.email)}::text[],
                  ${customers.map((c) => c.firstName)}::text[], ${customers.map((c) => c.lastName)}::text[],
                  ${keys}::bytea[])
             as c(id, email, first_name, last_name, subject_key)
     where not exists (
             select from members k where k.store_id = ${ctx.storeId} and k.platform_customer_id = c.id offset 0)
       and not exists (
             select from erased_subjects e
              where e.store_id = ${ctx.storeId} and e.subject_key = coalesce(c.subject_key, e.subject_key) offset 0)
     order by c.id
    on conflict (store_id, platform_customer_id) do nothing`)
}
