import { markOrderCancelled, type Restoration, restoreCredit } from '#credits'
import { inProportion } from '#kit/money'
import { bool, type Ctx, int, type RowOf, row, sql } from '#kit/postgres'
import { followMerges } from '#members'
import { ACCOUNT_OPERATIONS } from '../platform-account/account-operations.ts'

/**
 * Restores what was spent on these orders and given back with them: all of a redemption when its order was cancelled, otherwise the part that was
 * refunded. That is so for what discounts took off and for captured reservations. What was spent from an account or a gift card of the platform
 * is given back there, and the ledger follows those (`applyTransactions`). Redemptions of cancelled orders that are restored in whole, however, get
 * their mark. It reads what is true now, so it may be called for any order at any time, in any order.
 */
export async function restoreOrders(ctx: Ctx, orderIds: number[]): Promise<void> {
  if (orderIds.length === 0) return
  const restorable = await listRestorable(ctx, [...new Set(orderIds)])
  const kept = await followMerges(ctx, [...new Set(restorable.map(({ memberId }) => memberId))])
  await restoreCredit(
    ctx,
    restorable.flatMap((one): Restoration | [] => {
      const { entryId, memberId, isCancelled, restoredMinor } = one
      const targetMinor = shareOf(one)
      if (targetMinor <= restoredMinor) return []
      return {
        entryId,
        memberId: kept.get(memberId)!,
        amountMinor: targetMinor - restoredMinor,
        type: 'redemption_restored',
        reason: isCancelled ? 'the order was cancelled' : 'given back by a refund',
        operationId: `restore:${entryId}:${targetMinor}`,
        mark: isCancelled ? 'order_cancelled' : null
      }
    })
  )
  await markOrderCancelled(ctx, await listCancelled(ctx, orderIds))
}

/**
 * The same for the orders on which these customers have spent credit, or others who were merged into them, as far as something may be left to do:
 * those that were refunded or cancelled before the service restored credit with them.
 */
export async function restoreOrdersOf(ctx: Ctx, memberIds: number[]): Promise<void> {
  if (memberIds.length === 0) return
  const rows = await ctx.tx.many(
    row({ orderId: int }),
    sql`
    with spenders as (
      select id from members where store_id = ${ctx.storeId} and id = any(${memberIds}::bigint[])
      union
      select id from members where store_id = ${ctx.storeId} and merged_into = any(${memberIds}::bigint[]))
    select distinct e.order_id
      from spenders m
      join credit_entries e on e.store_id = ${ctx.storeId} and e.member_id = m.id and e.type = 4 and e.amount_minor < 0
      join orders o on o.store_id = ${ctx.storeId} and o.id = e.order_id and (o.cancelled_at is not null or o.refunded_minor > 0)
     cross join lateral (
       select coalesce(sum(b.amount_minor), 0) as minor, bool_or(b.mark is null) as is_unmarked
         from credit_entries b where b.store_id = ${ctx.storeId} and b.reverses_id = e.id) r
     where (r.minor < -e.amount_minor and e.operation_id not like ${ACCOUNT_OPERATIONS})
        or (r.minor >= -e.amount_minor and o.cancelled_at is not null and r.is_unmarked)`
  )
  await restoreOrders(
    ctx,
    rows.map(({ orderId }) => orderId)
  )
}

/** Those of the orders that are cancelled and have redemptions. */
async function listCancelled(ctx: Ctx, orderIds: number[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select o.id from orders o
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[]) and o.cancelled_at is not null
       and exists (select from credit_entries e where e.store_id = ${ctx.storeId} and e.order_id = o.id and e.type = 4)`
  )
  return rows.map(({ id }) => id)
}

const Restorable = row({
  entryId: int,
  memberId: int,
  deductedMinor: int,
  restoredMinor: int,
  isCancelled: bool,
  refundedMinor: int,
  totalMinor: int
})
type Restorable = RowOf<typeof Restorable>

/** The redemptions of those orders that were cancelled or refunded, locked, with what was restored of each. */
async function listRestorable(ctx: Ctx, orderIds: number[]): Promise<Restorable[]> {
  const locked = await ctx.tx.many(
    row({ id: int }),
    sql`
    select e.id from credit_entries e join orders o on o.store_id = ${ctx.storeId} and o.id = e.order_id
     where e.store_id = ${ctx.storeId} and e.order_id = any(${orderIds}::bigint[]) and e.type = 4 and e.amount_minor < 0
       and e.operation_id not like ${ACCOUNT_OPERATIONS} and (o.cancelled_at is not null or o.refunded_minor > 0)
     order by e.id for no key update of e`
  )
  if (locked.length === 0) return []
  return ctx.tx.many(
    Restorable,
    sql`
    select e.id as entry_id, e.member_id, -e.amount_minor as deducted_minor,
           coalesce((select sum(r.amount_minor) from credit_entries r
                      where r.store_id = ${ctx.storeId} and r.reverses_id = e.id), 0)::bigint as restored_minor,
           o.cancelled_at is not null as is_cancelled, o.refunded_minor, o.total_minor
      from credit_entries e
      join orders o on o.store_id = ${ctx.storeId} and o.id = e.order_id
     where e.store_id = ${ctx.storeId} and e.id = any(${locked.map(({ id }) => id)}::bigint[])
     order by e.order_id, e.id`
  )
}

/**
 * How much of a redemption is given back in all: what was refunded of the order is the same part of the credit, rounded down. An order that the
 * credit has paid alone has nothing to refund: only its cancellation gives credit back.
 */
function shareOf({ isCancelled, refundedMinor, totalMinor, deductedMinor }: Restorable): number {
  if (isCancelled) return deductedMinor
  return totalMinor <= 0 ? 0 : inProportion(deductedMinor, refundedMinor, totalMinor)
}
