import { bool, type Ctx, instant, int, nullable, row, sentTogether, sql } from '#kit/postgres'
import type { Credit } from './credit.ts'
import { asLot, asReservation } from './open-accounts.ts'
import { availableOf, emptyDraft } from './plan-change.ts'
import { planAbort } from './plan-reservation.ts'
import { listLots } from './queries.ts'
import { listHeldShortfalls, listOpenReservations } from './reservation-queries.ts'

const AccountRow = row({
  balanceMinor: int,
  reservedMinor: int,
  updatedAt: instant,
  dueMinor: int,
  /** A refund or dispute takes of what reservations hold whose time is over. */
  isMissing: bool
})

/**
 * A customer's store credit; all zero for one who never had any. Reservations whose time is over count as ended: what refunds and disputes take of
 * what they held is not available any more, but in the balance until it is entered.
 */
export async function findCredit(ctx: Ctx, memberId: number): Promise<Credit> {
  const account = await ctx.tx.maybeOne(
    AccountRow,
    sql`
    with lapsed as materialized (
      select r.id, r.amount_minor, r.lots, r.minors from credit_reservations r
       where r.store_id = ${ctx.storeId} and r.member_id = ${memberId} and r.status = 'reserved' and r.expires_at <= ${ctx.now})
    select a.balance_minor, a.updated_at,
           a.reserved_minor - (select coalesce(sum(amount_minor), 0)::bigint from lapsed) as reserved_minor,
           (select coalesce(sum(l.remaining_minor - l.reserved_minor), 0)::bigint from credit_lots l
             where l.store_id = ${ctx.storeId} and l.member_id = a.member_id and l.expires_at <= ${ctx.now})
           + (select coalesce(sum(held.minor), 0)::bigint
                from lapsed r cross join lateral unnest(r.lots, r.minors) as held(entry_id, minor)
                join credit_lots l on l.store_id = ${ctx.storeId} and l.entry_id = held.entry_id and l.expires_at <= ${ctx.now})
           as due_minor,
           exists (select from lapsed r join credit_entries e on e.store_id = ${ctx.storeId} and e.member_id = ${memberId}
                      and e.held_by is not null and r.id = any(e.held_by)) as is_missing
      from credit_accounts a where a.store_id = ${ctx.storeId} and a.member_id = ${memberId}`
  )
  if (!account) return { memberId, balanceMinor: 0, reservedMinor: 0, availableMinor: 0, updatedAt: null }
  const { balanceMinor, reservedMinor, updatedAt } = account
  const dueMinor = account.dueMinor + (account.isMissing ? await countMissing(ctx, memberId) : 0)
  return { memberId, balanceMinor, reservedMinor, availableMinor: availableOf({ ...account, dueMinor }), updatedAt }
}

/** What refunds and disputes will take of what reservations hold whose time is over. */
async function countMissing(ctx: Ctx, memberId: number): Promise<number> {
  const [reservations, shortfalls, lots] = await sentTogether(
    listOpenReservations(ctx, [memberId]),
    listHeldShortfalls(ctx, [memberId]),
    listLots(ctx, [memberId], [])
  )
  const draft = { ...emptyDraft(memberId), lots: lots.map(asLot), missing: shortfalls }
  for (const reservation of reservations.map(asReservation)) {
    if (Temporal.Instant.compare(reservation.expiresAt, ctx.now) <= 0) planAbort(draft, reservation, 'expired', ctx.now)
  }
  return draft.collected.reduce((sum, { amountMinor }) => sum - amountMinor, 0)
}

const TotalsRow = row({
  chargedMinor: int,
  usedMinor: int,
  refundedMinor: int,
  disputedMinor: int,
  forfeitMinor: int,
  reconciledMinor: int,
  forfeitedAt: nullable(instant),
  reconciledAt: nullable(instant)
})
export type CreditAccountTotals = ReturnType<typeof TotalsRow>

/**
 * The running totals of an account: charged - used - refunded - disputed - forfeit + reconciled is the balance. Entries that older
 * code has written since are counted by the next change.
 */
export async function findCreditTotals(ctx: Ctx, memberId: number): Promise<CreditAccountTotals> {
  const found = await ctx.tx.maybeOne(
    TotalsRow,
    sql`
    select charged_minor, used_minor, refunded_minor, disputed_minor, forfeit_minor, reconciled_minor, forfeited_at,
           reconciled_at
      from credit_accounts where store_id = ${ctx.storeId} and member_id = ${memberId}`
  )
  const none = {
    chargedMinor: 0,
    usedMinor: 0,
    refundedMinor: 0,
    disputedMinor: 0,
    forfeitMinor: 0,
    reconciledMinor: 0
  }
  return found ?? { ...none, forfeitedAt: null, reconciledAt: null }
}

/** What each of these customers can spend; those without an account are left out. */
export async function listAvailableCredit(ctx: Ctx, memberIds: number[]): Promise<Map<number, number>> {
  if (memberIds.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ memberId: int, balanceMinor: int, reservedMinor: int, dueMinor: int }),
    sql`
    select a.member_id, a.balance_minor, a.reserved_minor,
           (select coalesce(sum(l.remaining_minor - l.reserved_minor), 0)::bigint from credit_lots l
             where l.store_id = ${ctx.storeId} and l.member_id = a.member_id and l.expires_at <= ${ctx.now}) as due_minor
      from credit_accounts a where a.store_id = ${ctx.storeId} and a.member_id = any(${memberIds}::bigint[])`
  )
  return new Map(rows.map((one) => [one.memberId, availableOf(one)]))
}
