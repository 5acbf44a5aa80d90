import { arrayText, type Ctx, int, row, sql, text } from '#kit/postgres'
import { type Coupon, CouponRow, type CouponTerms, type CouponType, couponOfRow } from './coupon.ts'

/** Which coupons are listed; what is null is not asked. `beforeId`: only older ones. */
export type CouponFilter = {
  memberId: number | null
  type: CouponType | null
  isActive: boolean | null
  beforeId: number | null
  limit: number
}

/** Newest first, those that are over included. */
export async function listCoupons(ctx: Ctx, filter: CouponFilter): Promise<Coupon[]> {
  const { memberId, type, isActive, beforeId, limit } = filter
  const rows = await ctx.tx.many(
    CouponRow,
    sql`
    select c.id, c.member_id, c.rule_id, c.template_id, c.tier_id, c.name, c.type, c.percent_hundredths, c.amount_minor,
           c.product_ids, c.collection_ids, c.minimum_minor, c.code, c.status, c.ended_by, c.usage_count, c.expires_at, c.platform_discount_id,
           c.product_title, c.points_entry_id, c.problem, c.created_at, c.updated_at, c.deleted_at, m.platform_customer_id as customer_id
      from loyalty_coupons c join members m on m.store_id = ${ctx.storeId} and m.id = c.member_id
     where c.store_id = ${ctx.storeId} and (${memberId}::bigint is null or c.member_id = ${memberId}::bigint)
       and (${type}::text is null or c.type = ${type}::text)
       and (${isActive}::boolean is null
            or (c.status = 'active' and (c.expires_at is null or c.expires_at > ${ctx.now})) = ${isActive}::boolean)
       and (${beforeId}::bigint is null or c.id < ${beforeId}::bigint)
     order by c.id desc limit ${limit}`
  )
  return rows.map((one) => couponOfRow(one, ctx.now))
}

/** Null where the store has none with this id. */
export async function findCoupon(ctx: Ctx, id: number): Promise<Coupon | null> {
  const found = await ctx.tx.maybeOne(
    CouponRow,
    sql`
    select c.id, c.member_id, c.rule_id, c.template_id, c.tier_id, c.name, c.type, c.percent_hundredths, c.amount_minor,
           c.product_ids, c.collection_ids, c.minimum_minor, c.code, c.status, c.ended_by, c.usage_count, c.expires_at, c.platform_discount_id,
           c.product_title, c.points_entry_id, c.problem, c.created_at, c.updated_at, c.deleted_at, m.platform_customer_id as customer_id
      from loyalty_coupons c join members m on m.store_id = ${ctx.storeId} and m.id = c.member_id
     where c.store_id = ${ctx.storeId} and c.id = ${id}`
  )
  return found && couponOfRow(found, ctx.now)
}

/** The coupon of an operation; null where there is none. */
export async function findCouponOfOperation(ctx: Ctx, operationId: string): Promise<number | null> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`select id from loyalty_coupons where store_id = ${ctx.storeId} and operation_id = ${operationId}`
  )
  return found?.id ?? null
}

/** The newest coupon of a template that the customer has and has not used; null where there is none. */
export async function findUnusedCoupon(ctx: Ctx, memberId: number, templateId: number): Promise<number | null> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    select id from loyalty_coupons
     where store_id = ${ctx.storeId} and member_id = ${memberId} and template_id = ${templateId} and status <> 'ended'
       and usage_count = 0 and (expires_at is null or expires_at > ${ctx.now})
     order by id desc limit 1`
  )
  return found?.id ?? null
}

/** A coupon that is wanted. */
export type NewCoupon = CouponTerms & {
  memberId: number
  ruleId: number | null
  templateId: number | null
  tierId: number | null
  name: string
  code: string
  expiresAt: Temporal.Instant | null
  pointsEntryId: number | null
  operationId: string
}

/** Returns the id of each, by its operation. */
export async function insertCoupons(ctx: Ctx, coupons: NewCoupon[]): Promise<Map<string, number>> {
  if (coupons.length === 0) return new Map()
  const list = <T>(of: (coupon: NewCoupon) => T) => coupons.map(of)
  const rows = await ctx.tx.many(
    row({ id: int, operationId: text }),
    sql`
    insert into loyalty_coupons (store_id, member_id, rule_id, template_id, tier_id, name, type, percent_hundredths, amount_minor, product_ids,
                                 collection_ids, minimum_minor, code, expires_at, points_entry_id, operation_id, created_at, updated_at,
                                 due_at)
    select ${ctx.storeId}, c.member_id, c.rule_id, c.template_id, c.tier_id, c.name, c.type, c.percent_hundredths, c.amount_minor,
           c.product_ids::text[], c.collection_ids::text[], c.minimum_minor, c.code, c.expires_at, c.points_entry_id, c.operation_id,
           ${ctx.now}, ${ctx.now}, ${ctx.now}
      from unnest(${list((c) => c.memberId)}::bigint[], ${list((c) => c.ruleId)}::bigint[], ${list((c) => c.templateId)}::bigint[],
                  ${list((c) => c.tierId)}::bigint[], ${list((c) => c.name)}::text[], ${list((c) => c.type)}::text[], ${list((c) => c.percentHundredths)}::int[],
                  ${list((c) => c.amountMinor)}::bigint[], ${list((c) => arrayText(c.productIds))}::text[],
                  ${list((c) => arrayText(c.collectionIds))}::text[], ${list((c) => c.minimumMinor)}::bigint[],
                  ${list((c) => c.code)}::text[], ${list((c) => c.expiresAt)}::timestamptz[],
                  ${list((c) => c.pointsEntryId)}::bigint[], ${list((c) => c.operationId)}::text[])
           with ordinality as c(member_id, rule_id, template_id, tier_id, name, type, percent_hundredths, amount_minor, product_ids,
                                collection_ids, minimum_minor, code, expires_at, points_entry_id, operation_id, place)
     order by c.place
    returning id, operation_id`
  )
  return new Map(rows.map(({ operationId, id }) => [operationId, id]))
}

/** How many coupons of a customer can be used now. */
export async function countActiveCoupons(ctx: Ctx, memberId: number): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from loyalty_coupons
     where store_id = ${ctx.storeId} and member_id = ${memberId} and status = 'active'
       and (expires_at is null or expires_at > ${ctx.now})`
  )
  return count
}
