import { dueQuery } from '#kit/engines'
import { arrayText, bool, type Ctx, directSql, instant, int, nullable, type RowOf, row, sql } from '#kit/postgres'
import { type CreditEntry, EntryRow } from './credit.ts'
import { codeOfCreditEntryType, creditEntryTypeOf } from './credit-entry-types.ts'
import type { Draft, NewEntry } from './plan-change.ts'

const Account = row({
  memberId: int,
  balanceMinor: int,
  reservedMinor: int,
  entries: int,
  /** How many of the entries the totals count. */
  totalledEntries: int,
  updatedAt: instant
})
export type Account = RowOf<typeof Account>

/** A planned entry with its id. */
export type NumberedEntry = NewEntry & { id: number }

/** Locks the accounts until the transaction ends, in order of member, so that two writers cannot deadlock. */
export function lockAccounts(ctx: Ctx, memberIds: number[]) {
  return ctx.tx.many(
    Account,
    sql`
    select member_id, balance_minor, reserved_minor, entries, totalled_entries, updated_at from credit_accounts
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])
     order by member_id for update`
  )
}

/** Adds to the totals the entries that older code has written without them. The accounts must be locked. */
export async function countMissedEntries(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update credit_accounts a
       set charged_minor = a.charged_minor + m.charged, used_minor = a.used_minor + m.used,
           refunded_minor = a.refunded_minor + m.refunded, disputed_minor = a.disputed_minor + m.disputed,
           forfeit_minor = a.forfeit_minor + m.forfeit, reconciled_minor = a.reconciled_minor + m.reconciled,
           forfeited_at = greatest(a.forfeited_at, m.forfeited_at),
           reconciled_at = greatest(a.reconciled_at, m.reconciled_at), totalled_entries = a.entries
      from (select e.member_id,
                   coalesce(sum(e.amount_minor) filter (where e.type in (1, 10, 11, 12)), 0) as charged,
                   coalesce(-sum(e.amount_minor) filter (where e.type in (4, 5)), 0) as used,
                   coalesce(-sum(e.amount_minor) filter (where e.type = 6), 0) as refunded,
                   coalesce(-sum(e.amount_minor) filter (where e.type = 13), 0) as disputed,
                   coalesce(-sum(e.amount_minor) filter (where e.type in (7, 8)), 0) as forfeit,
                   coalesce(sum(e.amount_minor) filter (where e.type in (2, 3, 9)), 0) as reconciled,
                   max(e.created_at) filter (where e.type in (7, 8)) as forfeited_at,
                   max(e.created_at) filter (where e.type in (2, 3) or e.type = 9 and e.mark is null) as reconciled_at
              from credit_entries e
              join credit_accounts t on t.store_id = ${ctx.storeId} and t.member_id = e.member_id and e.position > t.totalled_entries
             where e.store_id = ${ctx.storeId} and e.member_id = any(${memberIds}::bigint[])
             group by e.member_id) m
     where a.store_id = ${ctx.storeId} and a.member_id = m.member_id`)
}

/** Inserts accounts. Waits for another transaction that inserts the same one. */
export async function insertMissingAccounts(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
    select ${ctx.storeId}, m.id, 0, 0, ${ctx.now} from unnest(${memberIds}::bigint[]) as m(id) order by m.id
    on conflict (store_id, member_id) do nothing`)
}

/** Deletes an account without entries. It must be locked. */
export async function deleteEmptyAccount(ctx: Ctx, memberId: number): Promise<void> {
  await ctx.tx.run(
    sql`delete from credit_accounts where store_id = ${ctx.storeId} and member_id = ${memberId} and entries = 0`
  )
}

const Spendable = row({
  memberId: int,
  /** Who this customer was merged into, and whether they are deleted on the platform: as it is under the lock of the account. */
  mergedInto: nullable(int),
  isDeleted: bool,
  dueMinor: int,
  entryId: nullable(int),
  remainingMinor: nullable(int),
  reservedMinor: nullable(int),
  expiresAt: nullable(instant)
})

/**
 * The amount past its date, and up to `most` lots that can be spent, in the order of spending; of both, what no reservation holds.
 * The accounts must be locked. A member without such lots, or without an account, has one row with an empty lot.
 */
export function listSpendable(ctx: Ctx, wanted: { memberId: number; most: number }[]) {
  return ctx.tx.many(
    Spendable,
    sql`
    select m.id as member_id, k.merged_into, k.is_deleted, due.minor as due_minor, lot.entry_id, lot.remaining_minor,
           lot.reserved_minor, lot.expires_at
      from unnest(${wanted.map((w) => w.memberId)}::bigint[], ${wanted.map((w) => w.most)}::bigint[]) as m(id, most)
      cross join lateral (
        select c.merged_into, c.platform_deleted_at is not null as is_deleted from members c
         where c.store_id = ${ctx.storeId} and c.id = m.id limit 1) k
      cross join lateral (
        select coalesce(sum(l.remaining_minor - l.reserved_minor), 0)::bigint as minor from credit_lots l
         where l.store_id = ${ctx.storeId} and l.member_id = m.id and l.expires_at <= ${ctx.now}) due
      left join lateral (
        select l.entry_id, l.remaining_minor, l.reserved_minor, l.expires_at from credit_lots l
         where l.store_id = ${ctx.storeId} and l.member_id = m.id and (l.expires_at is null or l.expires_at > ${ctx.now})
           and l.remaining_minor > l.reserved_minor
         order by l.expires_at, l.entry_id limit m.most) lot on true
     order by m.id, lot.expires_at, lot.entry_id`
  )
}

const LotRow = row({
  memberId: int,
  entryId: int,
  remainingMinor: int,
  reservedMinor: int,
  expiresAt: nullable(instant)
})

/** The lots of locked accounts that reservations hold, and those of the given entries. */
export function listLots(ctx: Ctx, memberIds: number[], entryIds: number[]) {
  return ctx.tx.many(
    LotRow,
    sql`
    select l.member_id, l.entry_id, l.remaining_minor, l.reserved_minor, l.expires_at from credit_lots l
     where l.store_id = ${ctx.storeId} and l.member_id = any(${memberIds}::bigint[]) and l.reserved_minor > 0
    union
    select l.member_id, l.entry_id, l.remaining_minor, l.reserved_minor, l.expires_at from credit_lots l
     where l.store_id = ${ctx.storeId} and l.entry_id = any(${entryIds}::bigint[])`
  )
}

/** Lots pass their date, and reservations their time. */
export const dueExpiries = dueQuery(
  'credit_lots_due',
  `select d.store_id, min(d.due_at) as due_at from (
     select l.store_id, l.expires_at as due_at
       from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
       join credit_lots l on l.store_id = s.store_id and l.expires_at <= s.until and l.remaining_minor > l.reserved_minor
     union all
     select r.store_id, r.expires_at
       from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
       join credit_reservations r on r.store_id = s.store_id and r.expires_at <= s.until and r.status = 'reserved') d
    group by d.store_id`
)

export const nextExpiry = directSql<[storeId: number]>(
  'credit_lots_next_expiry',
  `select least(
     (select min(expires_at) from credit_lots
       where store_id = $1 and expires_at is not null and remaining_minor > reserved_minor),
     (select min(expires_at) from credit_reservations where store_id = $1 and status = 'reserved')) as at`
)

/** The members who have lots past their date, oldest date first. */
export async function listMembersWithDueLots(ctx: Ctx, most: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select member_id from credit_lots
     where store_id = ${ctx.storeId} and expires_at <= ${ctx.now} and remaining_minor > reserved_minor
     order by expires_at limit ${most}`
  )
  return [...new Set(rows.map((r) => r.memberId))]
}

/** The lots past their date of locked accounts. */
export function listDueLots(ctx: Ctx, memberIds: number[], most: number) {
  return ctx.tx.many(
    row({ memberId: int, entryId: int, remainingMinor: int, reservedMinor: int, expiresAt: instant }),
    sql`
    select member_id, entry_id, remaining_minor, reserved_minor, expires_at from credit_lots
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and expires_at <= ${ctx.now}
       and remaining_minor > reserved_minor
     order by expires_at, entry_id limit ${most}`
  )
}

/** The entries that these operations already have, each looked up by itself. Their accounts must be locked. */
export async function listEntriesOf(ctx: Ctx, operationIds: string[]): Promise<CreditEntry[]> {
  const rows = await ctx.tx.many(
    EntryRow,
    sql`
    select e.id, e.member_id, e.position, e.type, e.amount_minor, e.balance_after_minor, e.reason, e.order_id, e.operation_id,
           e.expires_at, e.created_at, e.reverses_id, e.shortfall_minor, e.mark
      from unnest(${operationIds}::text[]) as o(id)
      cross join lateral (
        select * from credit_entries where store_id = ${ctx.storeId} and operation_id = o.id offset 0) e`
  )
  return rows.map((entry) => ({ ...entry, type: creditEntryTypeOf(entry.type) }))
}

/**
 * Takes ids for new entries, in rising order. The accounts must be locked: so the ids of an account rise as its positions do. What
 * inserts them holds its lock on the table from here on, as a plain insert does before it takes an id: whoever goes by ids waits for
 * writers that hold it.
 */
export async function takeEntryIds(ctx: Ctx, count: number): Promise<number[]> {
  if (count === 0) return []
  ctx.tx.send(sql`lock table credit_entries in row exclusive mode`)
  const taken = await ctx.tx.many(
    row({ id: int }),
    sql`select nextval('credit_entries_id_seq') as id from generate_series(1, ${count}::int) order by id`
  )
  return taken.map(({ id }) => id)
}

/**
 * Writes what was planned: the entries, the accounts with their totals, and the rest of the lots. Amounts are written as
 * differences, so that the constraints hold also where somebody has not locked the account. Keys are named once more in a list, so
 * that without statistics too no plan can read other rows of the store. Nobody waits for it before the transaction's end.
 */
export function writeLedger(ctx: Ctx, drafts: Draft[], entries: NumberedEntry[]): void {
  const idOf = new Map(entries.map(({ id, operationId }) => [operationId, id]))
  const changed = drafts.flatMap(({ memberId, lots }) =>
    lots.filter((lot) => lot.isChanged).map((lot) => ({ ...lot, memberId }))
  )
  const kept = changed.filter((lot) => lot.entryId !== null && !lot.isMissing && lot.remainingMinor > 0)
  const spent = changed.filter((lot) => lot.entryId !== null && !lot.isMissing && lot.remainingMinor === 0)
  const members = drafts.map(({ memberId }) => memberId)
  const keptIds = kept.map((lot) => lot.entryId)
  const added = changed.filter((lot) => (lot.entryId === null || lot.isMissing) && lot.remainingMinor > 0)
  ctx.tx.send(sql`
    with given as (
      select * from unnest(
        ${entries.map((e) => e.id)}::bigint[], ${entries.map((e) => e.memberId)}::bigint[], ${entries.map((e) => e.position)}::bigint[],
        ${entries.map((e) => codeOfCreditEntryType(e.type))}::smallint[], ${entries.map((e) => e.amountMinor)}::bigint[],
        ${entries.map((e) => e.balanceAfterMinor)}::bigint[], ${entries.map((e) => e.reason)}::text[],
        ${entries.map((e) => e.orderId)}::bigint[], ${entries.map((e) => e.operationId)}::text[],
        ${entries.map((e) => e.expiresAt)}::timestamptz[], ${entries.map((e) => e.reversesId)}::bigint[],
        ${entries.map((e) => e.shortfallMinor)}::bigint[], ${entries.map((e) => e.mark)}::text[],
        ${entries.map(({ spent }) => spent && arrayText(spent.map((s) => s.entryId)))}::text[],
        ${entries.map(({ spent }) => spent && arrayText(spent.map((s) => s.minor)))}::text[],
        ${entries.map(({ heldBy }) => heldBy && arrayText(heldBy))}::text[], ${entries.map((e) => e.takeBackId)}::bigint[])
        as g(id, member_id, position, type, amount, after, reason, order_id, operation_id, expires_at,
                             reverses_id, shortfall, mark, spent_lots, spent_minors, held_by, take_back_id)),
    entered as (
      insert into credit_entries (store_id, id, member_id, position, type, amount_minor, balance_after_minor, reason, order_id,
                                  operation_id, expires_at, created_at, reverses_id, shortfall_minor, mark, spent_lots,
                                  spent_minors, held_by, take_back_id)
      overriding system value
      select ${ctx.storeId}, id, member_id, position, type, amount, after, reason, order_id, operation_id, expires_at, ${ctx.now},
             reverses_id, shortfall, mark, spent_lots::bigint[], spent_minors::bigint[], held_by::bigint[], take_back_id
        from given
      returning id),
    accounts as (
      update credit_accounts a
         set balance_minor = a.balance_minor + d.balance, reserved_minor = a.reserved_minor + d.reserved, entries = d.entries, totalled_entries = d.entries,
             updated_at = d.updated_at, charged_minor = a.charged_minor + d.charged, used_minor = a.used_minor + d.used,
             refunded_minor = a.refunded_minor + d.refunded, disputed_minor = a.disputed_minor + d.disputed,
             forfeit_minor = a.forfeit_minor + d.forfeit, reconciled_minor = a.reconciled_minor + d.reconciled,
             forfeited_at = coalesce(d.forfeited_at, a.forfeited_at), reconciled_at = coalesce(d.reconciled_at, a.reconciled_at)
        from unnest(${members}::bigint[],
                    ${drafts.map((d) => d.balanceMinor - d.before.balanceMinor)}::bigint[],
                    ${drafts.map((d) => d.reservedMinor - d.before.reservedMinor)}::bigint[], ${drafts.map((d) => d.entries)}::bigint[],
                    ${drafts.map((d) => d.updatedAt)}::timestamptz[], ${drafts.map((d) => d.totals.charged)}::bigint[],
                    ${drafts.map((d) => d.totals.used)}::bigint[], ${drafts.map((d) => d.totals.refunded)}::bigint[],
                    ${drafts.map((d) => d.totals.disputed)}::bigint[], ${drafts.map((d) => d.totals.forfeit)}::bigint[],
                    ${drafts.map((d) => d.totals.reconciled)}::bigint[],
                    ${drafts.map((d) => d.forfeitedAt)}::timestamptz[], ${drafts.map((d) => d.reconciledAt)}::timestamptz[])
               as d(member_id, balance, reserved, entries, updated_at, charged, used, refunded, disputed, forfeit, reconciled,
                    forfeited_at, reconciled_at)
       where a.store_id = ${ctx.storeId} and a.member_id = d.member_id and a.member_id = any(${members}::bigint[])),
    kept as (
      update credit_lots l set remaining_minor = l.remaining_minor + k.remaining, reserved_minor = l.reserved_minor + k.reserved
        from unnest(${keptIds}::bigint[],
                    ${kept.map((l) => l.remainingMinor - l.before.remainingMinor)}::bigint[],
                    ${kept.map((l) => l.reservedMinor - l.before.reservedMinor)}::bigint[]) as k(entry_id, remaining, reserved)
       where l.store_id = ${ctx.storeId} and l.entry_id = k.entry_id and l.entry_id = any(${keptIds}::bigint[])),
    spent as (
      delete from credit_lots
       where store_id = ${ctx.storeId} and entry_id = any(${spent.map((l) => l.entryId)}::bigint[])),
    added as (
      insert into credit_lots (store_id, entry_id, member_id, remaining_minor, reserved_minor, expires_at)
      select ${ctx.storeId}, k.entry_id, k.member_id, k.remaining, k.reserved, k.expires_at
        from unnest(${added.map((l) => l.entryId ?? idOf.get(l.operationId!)!)}::bigint[],
                    ${added.map((l) => l.memberId)}::bigint[], ${added.map((l) => l.remainingMinor)}::bigint[],
                    ${added.map((l) => l.reservedMinor)}::bigint[], ${added.map((l) => l.expiresAt)}::timestamptz[])
               as k(entry_id, member_id, remaining, reserved, expires_at)
      returning entry_id)
    select count(*) from entered`)
}
