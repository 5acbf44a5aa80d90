import { type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'

const ListedEntry = row({
  id: int,
  type: nullable(oneOf('pending', 'earned', 'spent', 'reversed', 'expired', 'adjusted')),
  points: int,
  pendingPoints: int,
  lifetimePoints: int,
  balanceAfter: int,
  reason: text,
  orderId: nullable(int),
  expiresAt: nullable(instant),
  createdAt: instant
})
/** An entry of the ledger, as it is listed. `type` is null in entries of versions that did not know it. */
export type ListedEntry = RowOf<typeof ListedEntry>

/** The entries of a customer, newest first; `beforeId`: only older ones. */
export function listPointsEntries(
  ctx: Ctx,
  { memberId, beforeId, limit }: { memberId: number; beforeId: number | null; limit: number }
): Promise<ListedEntry[]> {
  return ctx.tx.many(
    ListedEntry,
    sql`
    select id, type, points, pending_points, lifetime_points, balance_after, reason, order_id, expires_at, created_at
      from points_entries
     where store_id = ${ctx.storeId} and member_id = ${memberId} and (${beforeId}::bigint is null or id < ${beforeId}::bigint)
     order by id desc limit ${limit}`
  )
}
