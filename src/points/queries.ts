import { bool, type Ctx, instant, int, intList, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { Points } from './points.ts'

/** Inserts accounts. Waits for another transaction that inserts the same one. */
export async function insertMissingAccounts(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into points_accounts (store_id, member_id, balance, updated_at)
    select ${ctx.storeId}, m.id, 0, ${ctx.now} from unnest(${memberIds}::bigint[]) as m(id) order by m.id
    on conflict (store_id, member_id) do nothing`)
}

/** Deletes those of locked accounts that never had an entry. */
export async function deleteUnusedAccounts(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    delete from points_accounts a
     where a.store_id = ${ctx.storeId} and a.member_id = any(${memberIds}::bigint[])
       and not exists (select from points_entries e where e.store_id = ${ctx.storeId} and e.member_id = a.member_id)`)
}

/** Locks the accounts until the transaction ends, in order of member, so that two writers cannot deadlock. */
export function lockAccounts(ctx: Ctx, memberIds: number[]) {
  return ctx.tx.many(
    row({ memberId: int, balance: int, pendingPoints: int, lifetimePoints: int, lottedPoints: int }),
    sql`
    select member_id, balance, pending_points, lifetime_points, lotted_points from points_accounts
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])
     order by member_id for update`
  )
}

/** The points of customers; those who never had any are not in it. */
export async function findPoints(ctx: Ctx, memberIds: number[]): Promise<Map<number, Points>> {
  const rows = await ctx.tx.many(
    Points,
    sql`
    select member_id, balance, pending_points, lifetime_points, updated_at from points_accounts
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`
  )
  return new Map(rows.map((one) => [one.memberId, one]))
}

/** What of an account may be needed: lots that cover so many points, and those of these entries. */
export type Wanted = { memberId: number; most: number }

const LotRow = row({ memberId: int, entryId: int, remainingPoints: int, expiresAt: nullable(instant) })

/** The lots that are spent first, as many as cover what is wanted; those that are past their date; and those of the given entries. */
export function listLots(ctx: Ctx, wanted: Wanted[], entryIds: number[]) {
  return ctx.tx.many(
    LotRow,
    sql`
    select l.member_id, l.entry_id, l.remaining_points, l.expires_at
      from unnest(${wanted.map((w) => w.memberId)}::bigint[], ${wanted.map((w) => w.most)}::bigint[]) as w(member_id, most)
      join (select member_id, entry_id, remaining_points, expires_at,
                   sum(case when expires_at <= ${ctx.now} then 0 else remaining_points end)
                     over (partition by member_id order by expires_at, entry_id) - remaining_points as before
              from points_lots
             where store_id = ${ctx.storeId} and member_id = any(${wanted.map((w) => w.memberId)}::bigint[])) l
        on l.member_id = w.member_id
       and (l.before < w.most or l.expires_at <= ${ctx.now} or l.entry_id = any(${entryIds}::bigint[]))
     order by l.member_id, l.expires_at, l.entry_id`
  )
}

/** What of the points of these customers is pending, the oldest first. */
export function listPending(ctx: Ctx, memberIds: number[]) {
  return ctx.tx.many(
    row({
      memberId: int,
      entryId: int,
      remainingPoints: int,
      readyAt: instant,
      expiresAt: nullable(instant),
      orderId: nullable(int),
      reason: text
    }),
    sql`
    select p.member_id, p.entry_id, p.remaining_points, p.ready_at, p.expires_at, e.order_id, e.reason
      from points_pending p
      join points_entries e on e.store_id = ${ctx.storeId} and e.id = p.entry_id
     where p.store_id = ${ctx.storeId} and p.member_id = any(${memberIds}::bigint[])
     order by p.member_id, p.ready_at, p.entry_id`
  )
}

/** The entry that added points last, of each of these customers. */
export async function listLastAdded(ctx: Ctx, memberIds: number[]): Promise<Map<number, number>> {
  const rows = await ctx.tx.many(
    row({ memberId: int, entryId: int }),
    sql`
    select member_id, max(id) as entry_id from points_entries
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and points > 0 group by member_id`
  )
  return new Map(rows.map(({ memberId, entryId }) => [memberId, entryId]))
}

/** The operations that already have an entry. Their accounts must be locked. */
export async function listOperations(ctx: Ctx, operationIds: string[]): Promise<Set<string>> {
  const rows = await ctx.tx.many(
    row({ operationId: text }),
    sql`
    select operation_id from points_entries
     where store_id = ${ctx.storeId} and operation_id = any(${operationIds}::text[])`
  )
  return new Set(rows.map((r) => r.operationId))
}

const ToReverse = row({
  id: int,
  orderId: nullable(int),
  memberId: int,
  type: nullable(oneOf('pending', 'earned', 'spent', 'reversed', 'expired', 'adjusted')),
  points: int,
  pendingPoints: int,
  exactPoints: nullable(text),
  isShared: bool,
  reason: text,
  readyAt: nullable(instant),
  expiresAt: nullable(instant),
  pendingId: nullable(int),
  spentLots: nullable(intList),
  spentPoints: nullable(intList),
  createdAt: instant,
  reversesId: nullable(int),
  shortfallPoints: int,
  reversal: nullable(oneOf('refund', 'dispute'))
})
/** An entry that may be undone, or that undoes another or makes its pending points earned. */
export type EntryToReverse = RowOf<typeof ToReverse>

/** What these orders have issued, and what reverses it, oldest first. */
export function listEntriesOfOrders(ctx: Ctx, orderIds: number[]) {
  return ctx.tx.many(
    ToReverse,
    sql`
    select id, order_id, member_id, type, points, pending_points, exact_points::text, is_shared, reason, ready_at, expires_at, pending_id, spent_lots, spent_points,
           created_at, reverses_id, shortfall_points, reversal
      from points_entries
     where store_id = ${ctx.storeId} and order_id = any(${orderIds}::bigint[]) order by id`
  )
}

/** These entries, what reverses them, and what made their pending points earned, oldest first. */
export function listEntriesToReverse(ctx: Ctx, entryIds: number[]) {
  return ctx.tx.many(
    ToReverse,
    sql`
    select id, order_id, member_id, type, points, pending_points, exact_points::text, is_shared, reason, ready_at, expires_at, pending_id, spent_lots, spent_points,
           created_at, reverses_id, shortfall_points, reversal
      from points_entries
     where store_id = ${ctx.storeId}
       and (id = any(${entryIds}::bigint[]) or reverses_id = any(${entryIds}::bigint[]) or pending_id = any(${entryIds}::bigint[]))
     order by id`
  )
}

/** The lot that points were spent from: the entry whose it is, and from when and until when they can be spent. */
export type SpentLot = { lotId: number; begunAt: Temporal.Instant; expiresAt: Temporal.Instant | null }

/** The lots that entries name as those that points were spent from; an entry of pending points stands for the one that made them earned. */
export async function listSpentLots(ctx: Ctx, entryIds: number[]): Promise<Map<number, SpentLot>> {
  if (entryIds.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ id: int, lotId: int, begunAt: instant, expiresAt: nullable(instant) }),
    sql`
    select e.id, coalesce(r.id, e.id) as lot_id, coalesce(p.ready_at, e.ready_at, e.created_at) as begun_at, e.expires_at
      from points_entries e
      left join points_entries r on r.store_id = ${ctx.storeId} and r.pending_id = e.id
      left join points_entries p on p.store_id = ${ctx.storeId} and p.id = e.pending_id
     where e.store_id = ${ctx.storeId} and e.id = any(${entryIds}::bigint[])`
  )
  return new Map(rows.map(({ id, ...lot }) => [id, lot]))
}
