import { bool, type Ctx, day, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'

const CustomerRow = row({
  id: int,
  platformId: text,
  /** Deleted on the platform, or merged into another: nobody can write its metafields. */
  isGone: bool,
  /** Their data is to be erased, or is: nothing of it is to be on the platform. */
  isWithdrawn: bool,
  isMember: bool,
  hasCredit: bool,
  points: nullable(int),
  birthDate: nullable(day),
  redemptionId: nullable(int)
})
export type CustomerRow = RowOf<typeof CustomerRow>

/** What is known of customers, except their memberships and what they can spend. */
export function listCustomerRows(ctx: Ctx, memberIds: number[]): Promise<CustomerRow[]> {
  return ctx.tx.many(
    CustomerRow,
    sql`
    select m.id, m.platform_customer_id as platform_id,
           m.platform_deleted_at is not null or m.merged_into is not null as is_gone,
           m.erased_at is not null or coalesce(o.is_withdrawn, false) as is_withdrawn, m.status is not null as is_member, a.member_id is not null as has_credit, p.balance as points, m.birth_date,
           (select max(e.id) from credit_entries e
             where e.store_id = ${ctx.storeId} and e.member_id = m.id and e.type = 4) as redemption_id
      from members m
      left join metafield_owners o on o.store_id = ${ctx.storeId} and o.kind = 'customer' and o.owner_id = m.id
      left join credit_accounts a on a.store_id = ${ctx.storeId} and a.member_id = m.id
      left join points_accounts p on p.store_id = ${ctx.storeId} and p.member_id = m.id
     where m.store_id = ${ctx.storeId} and m.id = any(${memberIds}::bigint[])`
  )
}

const MembershipRow = row({
  holderId: int,
  payerId: int,
  platformContractId: text,
  name: text,
  status: oneOf('active', 'paused', 'cancelled', 'failed', 'expired'),
  type: oneOf('vip', 'elite'),
  memberSince: day,
  nextBilling: nullable(day),
  priceMinor: int,
  currency: text,
  cancelledAt: nullable(instant),
  id: int,
  holderPlatformId: text,
  holderEmail: nullable(text),
  holderFirstName: nullable(text),
  holderLastName: nullable(text),
  payerPlatformId: text,
  /** Deleted on the platform: there is nobody to name any more. An erasure here says so too, since it sets `platform_deleted_at`. */
  payerIsGone: bool,
  payerEmail: nullable(text),
  payerFirstName: nullable(text),
  payerLastName: nullable(text)
})
/** A membership with who holds it and who pays for it; of what was no gift they are one. Dates are in the shop's zone. */
export type MembershipRow = RowOf<typeof MembershipRow>

/** The memberships that these customers hold or pay for. */
export function listMembershipRows(ctx: Ctx, memberIds: number[], timezone: string): Promise<MembershipRow[]> {
  return ctx.tx.many(
    MembershipRow,
    sql`
    with found as (
      select s.* from subscriptions s
       where s.store_id = ${ctx.storeId} and s.member_id = any(${memberIds}::bigint[])
      union
      select s.* from subscriptions s
       where s.store_id = ${ctx.storeId} and s.receiver_member_id = any(${memberIds}::bigint[]))
    select f.id, coalesce(f.receiver_member_id, f.member_id) as holder_id, f.member_id as payer_id, f.platform_contract_id, p.name,
           f.status, p.type, (coalesce(f.gifted_at, f.created_at) at time zone ${timezone})::date as member_since,
           ((case f.status
               when 'active' then f.next_billing_at
               when 'paused' then case when f.resumes_at is not null then
                 series_date_after(f.anchor_at, f.anchor_cycle, f.next_cycle, f.interval, f.interval_count, f.resumes_at, ${timezone}) end
             end) at time zone ${timezone})::date as next_billing,
           f.price_minor, f.currency, f.cancelled_at,
           h.platform_customer_id as holder_platform_id, h.email as holder_email, h.first_name as holder_first_name,
           h.last_name as holder_last_name,
           m.platform_customer_id as payer_platform_id, m.platform_deleted_at is not null as payer_is_gone, m.email as payer_email, m.first_name as payer_first_name,
           m.last_name as payer_last_name
      from found f
      join plans p on p.store_id = ${ctx.storeId} and p.id = f.plan_id and p.type in ('vip', 'elite')
      join members m on m.store_id = ${ctx.storeId} and m.id = f.member_id
      join members h on h.store_id = ${ctx.storeId} and h.id = coalesce(f.receiver_member_id, f.member_id)
     order by f.id`
  )
}
