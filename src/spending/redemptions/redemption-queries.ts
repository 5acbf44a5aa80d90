import { bool, type Ctx, int, json, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import { CREDIT_CODE_FORM } from '../codes/code-form.ts'

const DiscountedOrder = row({
  id: int,
  memberId: nullable(int),
  coupons: nullable(json<{ code: string; amountMinor: number }[]>()),
  /** What the function took off; 0 where it took nothing. */
  byFunctionMinor: int,
  isOtherCurrency: bool,
  /** What is redeemed already. */
  sources: textList
})
export type DiscountedOrder = RowOf<typeof DiscountedOrder>

/**
 * Of these orders, those from which a discount that spends store credit took something, as they are now. `functionTitle`: of the function's
 * discounts; null where no plan is spent by it.
 */
export function listDiscountedOrders(
  ctx: Ctx,
  orderIds: number[],
  functionTitle: string | null
): Promise<DiscountedOrder[]> {
  return ctx.tx.many(
    DiscountedOrder,
    sql`
    select o.id, o.member_id, o.coupons, f.minor as by_function_minor, o.currency <> s.currency as is_other_currency,
           array(select source from discount_redemptions where store_id = ${ctx.storeId} and order_id = o.id) as sources
      from orders o join stores s on s.store_id = ${ctx.storeId}
     cross join lateral (
       select coalesce(sum((d ->> 'amountMinor')::bigint), 0)::bigint as minor
         from jsonb_array_elements(o.automatic_discounts) d
        where lower(d ->> 'title') = lower(${functionTitle}::text)) f
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[])
       and (f.minor > 0
            or exists (select from jsonb_array_elements(o.coupons) c where c ->> 'code' ~* ${CREDIT_CODE_FORM}))
     order by o.id`
  )
}

const LockedCode = row({ id: int, memberId: int, reservationId: int, amountMinor: int, code: text })
export type LockedCode = RowOf<typeof LockedCode>

/** Locks codes, before any account of credit. */
export async function lockCodesOf(ctx: Ctx, codes: string[]): Promise<Map<string, LockedCode>> {
  if (codes.length === 0) return new Map()
  const rows = await ctx.tx.many(
    LockedCode,
    sql`
    select id, member_id, reservation_id, amount_minor, code from credit_codes
     where store_id = ${ctx.storeId} and code = any(${codes}::text[]) order by id for update`
  )
  return new Map(rows.map((one) => [one.code, one]))
}

export type Redeemed = {
  orderId: number
  source: string
  codeId: number | null
  memberId: number
  amountMinor: number
  entryId: number | null
}

export async function insertRedemption(ctx: Ctx, redeemed: Redeemed): Promise<void> {
  const { orderId, source, codeId, memberId, amountMinor, entryId } = redeemed
  await ctx.tx.run(sql`
    insert into discount_redemptions (store_id, order_id, source, code_id, member_id, amount_minor, entry_id, created_at)
    values (${ctx.storeId}, ${orderId}, ${source}, ${codeId}, ${memberId}, ${amountMinor}, ${entryId}, ${ctx.now})`)
}

/** An order has the code. The platform is asked to take it no more. */
export async function markUsed(ctx: Ctx, codeId: number): Promise<void> {
  await ctx.tx.run(sql`
    update credit_codes
       set status = 'used', ended_at = coalesce(ended_at, ${ctx.now}), problem = null, attempts = 0, rests_until = null,
           due_at = case when closed_at is null then ${ctx.now}::timestamptz end
     where store_id = ${ctx.storeId} and id = ${codeId}`)
}

/** Whether members spend credit by the discount function: a plan says so. */
export async function isFunctionUsed(ctx: Ctx): Promise<boolean> {
  const { isUsed } = await ctx.tx.one(
    row({ isUsed: bool }),
    sql`select exists (select from plans where store_id = ${ctx.storeId} and credit_type = 'function') as is_used`
  )
  return isUsed
}
