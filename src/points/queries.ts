import { type Ctx, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { PointsEntry, Reversal } from './points.ts'

/** Inserts accounts. Waits for another transaction that inserts the same one. */
export async function insertMissingAccounts(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into points_accounts (store_id, member_id, balance, updated_at)
    select ${ctx.storeId}, m.id, 0, ${ctx.now} from unnest(${memberIds}::bigint[]) as m(id) order by m.id
    on conflict (store_id, member_id) do nothing`)
}

/** Locks the accounts until the transaction ends, in order of member, so that two writers cannot deadlock. */
export function lockAccounts(ctx: Ctx, memberIds: number[]) {
  return ctx.tx.many(
    row({ memberId: int, balance: int }),
    sql`
    select member_id, balance from points_accounts
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])
     order by member_id for update`
  )
}

/** The operations that already have an entry. Their accounts must be locked. */
export async function listOperations(ctx: Ctx, operationIds: string[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ operationId: text }),
    sql`
    select operation_id from points_entries
     where store_id = ${ctx.storeId} and operation_id = any(${operationIds}::text[])`
  )
  return rows.map((r) => r.operationId)
}

/** Writes entries and sets the accounts to their sums. Returns the entries with their ids, in the given order. */
export async function writeLedger(
  ctx: Ctx,
  entries: (Omit<PointsEntry, 'id'> & Partial<Reversal>)[]
): Promise<PointsEntry[]> {
  const balances = new Map(entries.map((e) => [e.memberId, e.balanceAfter]))
  const entered = await ctx.tx.many(
    row({ id: int, operationId: text }),
    sql`
    with accounts as (
      update points_accounts a set balance = b.balance, updated_at = ${ctx.now}
        from unnest(${[...balances.keys()]}::bigint[], ${[...balances.values()]}::bigint[]) as b(member_id, balance)
       where a.store_id = ${ctx.storeId} and a.member_id = b.member_id)
    insert into points_entries (store_id, member_id, points, balance_after, reason, order_id, operation_id, created_at, reverses_id,
      shortfall_points, reversed_points, reversal)
    select ${ctx.storeId}, e.member_id, e.points, e.after, e.reason, e.order_id, e.operation_id, ${ctx.now}, e.reverses_id,
           e.shortfall, e.reversed, e.reversal
      from unnest(${entries.map((e) => e.memberId)}::bigint[], ${entries.map((e) => e.points)}::bigint[],
                  ${entries.map((e) => e.balanceAfter)}::bigint[], ${entries.map((e) => e.reason)}::text[],
                  ${entries.map((e) => e.orderId)}::bigint[], ${entries.map((e) => e.operationId)}::text[],
                  ${entries.map((e) => e.reversesId ?? null)}::bigint[], ${entries.map((e) => e.shortfallPoints ?? 0)}::bigint[],
                  ${entries.map((e) => e.reversedPoints ?? null)}::bigint[], ${entries.map((e) => e.reversal ?? null)}::text[])
           with ordinality as e(member_id, points, after, reason, order_id, operation_id, reverses_id, shortfall, reversed, reversal,
                                nth)
     order by e.nth
    returning id, operation_id`
  )
  const ids = new Map(entered.map(({ id, operationId }) => [operationId, id]))
  return entries.map((entry) => ({ id: ids.get(entry.operationId)!, ...entry }))
}

const OfOrder = row({
  id: int,
  orderId: int,
  memberId: int,
  points: int,
  reversesId: nullable(int),
  shortfallPoints: int,
  reversal: nullable(oneOf('refund', 'dispute'))
})
export type EntryOfOrder = RowOf<typeof OfOrder>

/** What these orders have issued, and what reverses it, oldest first. */
export function listEntriesOfOrders(ctx: Ctx, orderIds: number[]) {
  return ctx.tx.many(
    OfOrder,
    sql`
    select id, order_id, member_id, points, reverses_id, shortfall_points, reversal from points_entries
     where store_id = ${ctx.storeId} and order_id = any(${orderIds}::bigint[]) order by id`
  )
}
