import { record } from '#kit/outbox'
import { type Ctx, instant, int, intList, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { CreditEntryType } from '#resources'
import { creditEntryTypeOf } from './credit-entry-types.ts'
import { historyChanged } from './events/history-changed.ts'

const Deduction = row({
  id: int,
  memberId: int,
  orderId: nullable(int),
  /** What it deducted, above zero. */
  deductedMinor: int,
  /** What later entries have restored of it. */
  restoredMinor: int,
  spentLots: nullable(intList),
  spentMinors: nullable(intList),
  /** When the credit was chosen: reserved, or spent at once. */
  chosenAt: instant
})

/** Deductions with what is left to restore of each. Their accounts must be locked. */
export function listDeductions(ctx: Ctx, entryIds: number[]) {
  return ctx.tx.many(
    Deduction,
    sql`
    select e.id, e.member_id, e.order_id, -e.amount_minor as deducted_minor, e.spent_lots, e.spent_minors,
           coalesce((select r.created_at from credit_reservations r
                      where r.store_id = ${ctx.storeId} and r.entry_id = e.id), e.created_at) as chosen_at,
           (select coalesce(sum(r.amount_minor), 0)::bigint from credit_entries r
             where r.store_id = ${ctx.storeId} and r.reverses_id = e.id and r.amount_minor > 0) as restored_minor
      from credit_entries e
     where e.store_id = ${ctx.storeId} and e.id = any(${entryIds}::bigint[]) and e.amount_minor <= 0
     order by e.id`
  )
}

/** The accounts that entries belong to. */
export async function listMembersOfEntries(ctx: Ctx, entryIds: number[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select distinct member_id from credit_entries
     where store_id = ${ctx.storeId} and id = any(${entryIds}::bigint[]) order by member_id`
  )
  return rows.map(({ memberId }) => memberId)
}

/** The dates and owners of lots, by the entries that added them, also of lots that are used up. */
export function listLotDates(ctx: Ctx, entryIds: number[]) {
  return ctx.tx.many(
    row({ id: int, memberId: int, expiresAt: nullable(instant) }),
    sql`
    select id, member_id, expires_at from credit_entries
     where store_id = ${ctx.storeId} and id = any(${entryIds}::bigint[])`
  )
}

const OfOrder = row({
  id: int,
  memberId: int,
  type: int,
  amountMinor: int,
  shortfallMinor: int,
  reversesId: nullable(int),
  takeBackId: nullable(int)
})
export type EntryOfOrder = Omit<RowOf<typeof OfOrder>, 'type'> & { type: CreditEntryType }

/** Every entry of an order, and every entry that reverses one of them, oldest first. */
export async function listEntriesOfOrder(ctx: Ctx, orderId: number): Promise<EntryOfOrder[]> {
  const rows = await ctx.tx.many(
    OfOrder,
    sql`
    select id, member_id, type, amount_minor, shortfall_minor, reverses_id, take_back_id from credit_entries
     where store_id = ${ctx.storeId} and order_id = ${orderId} order by id`
  )
  return rows.map((entry) => ({ ...entry, type: creditEntryTypeOf(entry.type) }))
}

/**
 * Marks what has restored those redemptions of these orders that are restored in whole: their orders were cancelled. Parts of it may have
 * been restored by refunds, before the cancellation was known. Amounts never change.
 */
export async function markOrderCancelled(ctx: Ctx, orderIds: number[]): Promise<void> {
  if (orderIds.length === 0) return
  const hidden = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    with restored as (
      select e.id, e.member_id from credit_entries e
        join credit_entries r on r.store_id = ${ctx.storeId} and r.reverses_id = e.id
       where e.store_id = ${ctx.storeId} and e.order_id = any(${orderIds}::bigint[]) and e.type = 4
       group by e.id, e.member_id, e.amount_minor
      having sum(r.amount_minor) >= -e.amount_minor and bool_or(r.mark is null)),
    marked as (
      update credit_entries r set mark = 'order_cancelled'
        from restored e where r.store_id = ${ctx.storeId} and r.reverses_id = e.id and r.type = 5 and r.mark is null
      returning r.member_id, e.member_id as redeemed_by)
    select member_id from marked union select redeemed_by from marked`
  )
  if (hidden.length > 0) await record(ctx, ...hidden.map(historyChanged))
}

/** Takes the hidden entries that nobody has counted yet, which are counted from now on. Returns their ids, in no order. */
export async function takeUncountedEntries(ctx: Ctx): Promise<number[]> {
  const { ids } = await ctx.tx.one(
    row({ ids: nullable(intList) }),
    sql`
    with taken as (
      update hidden_credit_entries set is_counted = true where store_id = ${ctx.storeId} and not is_counted returning entry_id)
    select array_agg(entry_id) as ids from taken`
  )
  return ids ?? []
}

const LaterPart = row({ id: int, operationId: text, amountMinor: int, shortfallMinor: int })

/** What was taken later of the shortfall of an entry, or taken off it, oldest first. */
export function listLaterParts(ctx: Ctx, entryId: number): Promise<RowOf<typeof LaterPart>[]> {
  return ctx.tx.many(
    LaterPart,
    sql`
    select id, operation_id, amount_minor, shortfall_minor from credit_entries
     where store_id = ${ctx.storeId} and take_back_id = ${entryId} order by id`
  )
}

const Shortfall = row({
  entryId: int,
  type: oneOf('refund', 'dispute'),
  minor: int,
  orderId: nullable(int),
  reversesId: nullable(int),
  reason: text
})

/** What refunds and disputes of a customer that came after an entry still lack, oldest first. */
export function listShortfallsSince(ctx: Ctx, memberId: number, entryId: number): Promise<RowOf<typeof Shortfall>[]> {
  return ctx.tx.many(
    Shortfall,
    sql`
    select e.id as entry_id, case e.type when 6 then 'refund' else 'dispute' end as type, e.shortfall_minor + l.minor as minor,
           e.order_id, e.reverses_id, e.reason
      from credit_entries e
     cross join lateral (
       select coalesce(sum(t.shortfall_minor), 0)::bigint as minor from credit_entries t
        where t.store_id = ${ctx.storeId} and t.take_back_id = e.id) l
     where e.store_id = ${ctx.storeId} and e.member_id = ${memberId} and e.id > ${entryId} and e.type in (6, 13)
       and e.take_back_id is null and e.shortfall_minor + l.minor > 0
     order by e.id`
  )
}
