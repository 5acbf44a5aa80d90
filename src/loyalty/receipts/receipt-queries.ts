import { type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { type Receipt, ReceiptRow, type ReceiptStatus } from './receipt.ts'

/** Which receipts are listed; what is null is not asked. `beforeId`: only older ones. */
export type ReceiptFilter = {
  memberId: number | null
  status: ReceiptStatus | null
  beforeId: number | null
  limit: number
}

/** Newest first. */
export function listReceipts(ctx: Ctx, { memberId, status, beforeId, limit }: ReceiptFilter): Promise<Receipt[]> {
  return ctx.tx.many(
    ReceiptRow,
    sql`
    select r.id, r.member_id, m.platform_customer_id as customer_id, r.rule_id, l.name as rule_name, r.retailer, r.purchased_on, r.number,
           r.amount_minor, r.status, r.approved_minor, r.decided_by, r.reason, a.points, r.content_type, r.file_bytes, f.name as file_name,
           r.uploaded_at, r.decided_at, r.updated_at
      from loyalty_receipts r
      join members m on m.store_id = ${ctx.storeId} and m.id = r.member_id
      join loyalty_rules l on l.store_id = ${ctx.storeId} and l.id = r.rule_id
      left join loyalty_awards a on a.store_id = ${ctx.storeId} and a.rule_id = r.rule_id and a.member_id = r.member_id
                                and a.key = 'receipt:' || r.id and a.reversed_at is null
      left join loyalty_receipt_files f on f.store_id = ${ctx.storeId} and f.receipt_id = r.id
     where r.store_id = ${ctx.storeId} and (${memberId}::bigint is null or r.member_id = ${memberId}::bigint)
       and (${status}::text is null or r.status = ${status}::text)
       and (${beforeId}::bigint is null or r.id < ${beforeId}::bigint)
     order by r.id desc limit ${limit}`
  )
}

/** One receipt; null where there is none. It is not locked: its customer is (`lockReceipt`). */
export function findReceipt(ctx: Ctx, id: number): Promise<Receipt | null> {
  return ctx.tx.maybeOne(
    ReceiptRow,
    sql`
    select r.id, r.member_id, m.platform_customer_id as customer_id, r.rule_id, l.name as rule_name, r.retailer, r.purchased_on, r.number,
           r.amount_minor, r.status, r.approved_minor, r.decided_by, r.reason, a.points, r.content_type, r.file_bytes, f.name as file_name,
           r.uploaded_at, r.decided_at, r.updated_at
      from loyalty_receipts r
      join members m on m.store_id = ${ctx.storeId} and m.id = r.member_id
      join loyalty_rules l on l.store_id = ${ctx.storeId} and l.id = r.rule_id
      left join loyalty_awards a on a.store_id = ${ctx.storeId} and a.rule_id = r.rule_id and a.member_id = r.member_id
                                and a.key = 'receipt:' || r.id and a.reversed_at is null
      left join loyalty_receipt_files f on f.store_id = ${ctx.storeId} and f.receipt_id = r.id
     where r.store_id = ${ctx.storeId} and r.id = ${id}`
  )
}

/** A receipt that is to be recorded. */
export type NewReceipt = Pick<
  Receipt,
  'memberId' | 'ruleId' | 'retailer' | 'purchasedOn' | 'number' | 'amountMinor' | 'contentType' | 'fileBytes'
> & { contentHash: string }

/** Returns its id. */
export async function insertReceipt(ctx: Ctx, receipt: NewReceipt): Promise<number> {
  const { memberId, ruleId, retailer, purchasedOn, number, amountMinor, contentHash, contentType, fileBytes } = receipt
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into loyalty_receipts (store_id, member_id, rule_id, retailer, purchased_on, number, amount_minor, content_hash, content_type,
                                  file_bytes, uploaded_at, updated_at)
    values (${ctx.storeId}, ${memberId}, ${ruleId}, ${retailer}, ${purchasedOn}, ${number}, ${amountMinor}, ${contentHash}, ${contentType},
            ${fileBytes}, ${ctx.now}, ${ctx.now})
    returning id`
  )
  return id
}

export async function isFileKnown(ctx: Ctx, contentHash: string): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`select id from loyalty_receipts where store_id = ${ctx.storeId} and content_hash = ${contentHash}`
  )
  return found !== null
}

/** How many receipts of a customer wait for a decision. */
export async function countWaiting(ctx: Ctx, memberId: number): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from loyalty_receipts
     where store_id = ${ctx.storeId} and member_id = ${memberId} and status = 'waiting'`
  )
  return count
}

export type Purchase = Pick<Receipt, 'memberId' | 'retailer' | 'purchasedOn' | 'number' | 'amountMinor'>

/**
 * A receipt of the same purchase that is not refused: one of the same shop and day with the same number, whoever has uploaded it; or, where one of
 * both has no number, one of the same customer over the same amount. Null where there is none.
 */
export async function findSamePurchase(
  ctx: Ctx,
  { id, memberId, retailer, purchasedOn, number, amountMinor }: Purchase & { id: number | null }
): Promise<number | null> {
  const found = await ctx.tx.maybeOne(
    row({ id: nullable(int) }),
    sql`
    select min(id) as id from loyalty_receipts
     where store_id = ${ctx.storeId} and lower(retailer) = lower(${retailer}) and purchased_on = ${purchasedOn} and status <> 'refused'
       and (${id}::bigint is null or id <> ${id}::bigint)
       and (lower(number) = lower(${number}::text)
            or (member_id = ${memberId} and amount_minor = ${amountMinor} and (number is null or ${number}::text is null)))`
  )
  return found?.id ?? null
}

export async function markApproved(
  ctx: Ctx,
  id: number,
  { approvedMinor, by }: { approvedMinor: number; by: 'rule' | 'operator' }
): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_receipts
       set status = 'approved', approved_minor = ${approvedMinor}, decided_by = ${by}, reason = null, decided_at = ${ctx.now},
           updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
}

export async function markRefused(ctx: Ctx, id: number, reason: string): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_receipts
       set status = 'refused', approved_minor = null, decided_by = 'operator', reason = ${reason}, decided_at = ${ctx.now},
           updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
}
