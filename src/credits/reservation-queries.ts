import { arrayText, type Ctx, int, intList, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { type Reservation, reservationColumns } from './credit.ts'
import { creditEntryTypeOf } from './credit-entry-types.ts'
import type { Draft, HeldShortfall } from './plan-change.ts'

const OpenReservation = row({ ...reservationColumns, lots: intList, minors: intList })
export type OpenReservation = RowOf<typeof OpenReservation>

/** The open reservations of locked accounts, oldest first, also those whose time is over. */
export function listOpenReservations(ctx: Ctx, memberIds: number[]) {
  return ctx.tx.many(
    OpenReservation,
    sql`
    select id, member_id, amount_minor, status, aborted_by, reason, operation_id, entry_id, captured_minor, expires_at,
           created_at, ended_at, lots, minors
      from credit_reservations
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and status = 'reserved'
     order by id`
  )
}

const HeldShortfallRow = row({
  memberId: int,
  entryId: int,
  type: int,
  minor: int,
  heldBy: intList,
  orderId: nullable(int),
  reason: text,
  reversesId: nullable(int)
})

/** What refunds, disputes and forfeits of locked accounts could not take since reservations held it that are still open, oldest first. */
export async function listHeldShortfalls(
  ctx: Ctx,
  memberIds: number[]
): Promise<(HeldShortfall & { memberId: number })[]> {
  const rows = await ctx.tx.many(
    HeldShortfallRow,
    sql`
    select e.member_id, e.id as entry_id, e.type, e.shortfall_minor + l.minor as minor, e.held_by, e.order_id, e.reason, e.reverses_id
      from credit_entries e
     cross join lateral (
       select coalesce(sum(t.shortfall_minor), 0)::bigint as minor from credit_entries t
        where t.store_id = ${ctx.storeId} and t.take_back_id = e.id) l
     where e.store_id = ${ctx.storeId} and e.member_id = any(${memberIds}::bigint[]) and e.held_by is not null
       and e.shortfall_minor + l.minor > 0
       and exists (select from credit_reservations r
                    where r.store_id = ${ctx.storeId} and r.id = any(e.held_by) and r.status = 'reserved')
     order by e.id`
  )
  return rows.map((missing) => ({ ...missing, type: creditEntryTypeOf(missing.type) }))
}

const ReservationRow = row(reservationColumns)

/** A reservation, in any state; null if there is none with this id. */
export function findReservation(ctx: Ctx, id: number): Promise<Reservation | null> {
  return ctx.tx.maybeOne(
    ReservationRow,
    sql`
    select id, member_id, amount_minor, status, aborted_by, reason, operation_id, entry_id, captured_minor, expires_at,
           created_at, ended_at
      from credit_reservations where store_id = ${ctx.storeId} and id = ${id}`
  )
}

/** The reservations that these operations already have made. Their accounts must be locked. */
export function listReservationsOf(ctx: Ctx, operationIds: string[]): Promise<Reservation[]> {
  return ctx.tx.many(
    ReservationRow,
    sql`
    select id, member_id, amount_minor, status, aborted_by, reason, operation_id, entry_id, captured_minor, expires_at,
           created_at, ended_at
      from credit_reservations where store_id = ${ctx.storeId} and operation_id = any(${operationIds}::text[])`
  )
}

/** The members who have reservations whose time is over, oldest first. */
export async function listMembersWithLapsed(ctx: Ctx, most: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select member_id from credit_reservations
     where store_id = ${ctx.storeId} and status = 'reserved' and expires_at <= ${ctx.now}
     order by expires_at limit ${most}`
  )
  return [...new Set(rows.map((r) => r.memberId))]
}

/**
 * Writes the reservations that were opened or ended, after the ledger: `entryIds` has the entries of captures by their operation.
 * Returns the ids of those that were opened, by operation.
 */
export async function writeReservations(
  ctx: Ctx,
  drafts: Draft[],
  entryIds: Map<string, number>
): Promise<Map<string, number>> {
  const changed = drafts.flatMap(({ reservations }) => reservations.filter((r) => r.isChanged))
  const opened = changed.filter(({ id }) => id === null)
  const ended = changed.filter(({ id }) => id !== null)
  if (ended.length > 0) {
    await ctx.tx.run(sql`
      update credit_reservations r
         set status = k.status, aborted_by = k.aborted_by, entry_id = k.entry_id, captured_minor = k.captured,
             ended_at = ${ctx.now}
        from unnest(${ended.map((r) => r.id)}::bigint[], ${ended.map((r) => r.status)}::text[],
                    ${ended.map((r) => r.abortedBy)}::text[], ${ended.map((r) => r.capturedMinor)}::bigint[],
                    ${ended.map((r) => r.captureOperation && entryIds.get(r.captureOperation)!)}::bigint[])
               as k(id, status, aborted_by, captured, entry_id)
       where r.store_id = ${ctx.storeId} and r.id = k.id and r.status = 'reserved'`)
  }
  if (opened.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ id: int, operationId: text }),
    sql`
    insert into credit_reservations (store_id, member_id, amount_minor, reason, operation_id, lots, minors, expires_at, created_at)
    select ${ctx.storeId}, member_id, amount, reason, operation_id, lots::bigint[], minors::bigint[], expires_at, ${ctx.now}
      from unnest(${opened.map((r) => r.memberId)}::bigint[], ${opened.map((r) => r.amountMinor)}::bigint[],
                  ${opened.map((r) => r.reason)}::text[], ${opened.map((r) => r.operationId)}::text[],
                  ${opened.map((r) => arrayText(r.holds.map(({ entryId }) => entryId)))}::text[],
                  ${opened.map((r) => arrayText(r.holds.map(({ minor }) => minor)))}::text[],
                  ${opened.map((r) => r.expiresAt)}::timestamptz[])
             with ordinality as k(member_id, amount, reason, operation_id, lots, minors, expires_at, nth)
     order by nth
    returning id, operation_id`
  )
  return new Map(rows.map(({ id, operationId }) => [operationId, id]))
}
