import { dueQuery } from '#kit/engines'
import { type Ctx, directSql, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { type CreditEntry, EntryRow } from './credit.ts'
import { codeOfCreditEntryType, creditEntryTypeOf } from './credit-entry-types.ts'
import type { Draft, NewEntry } from './plan-change.ts'

const Account = row({ memberId: int, balanceMinor: int, entries: int, updatedAt: instant })

/** Locks the accounts until the transaction ends, in order of member, so that two writers cannot deadlock. */
export function lockAccounts(ctx: Ctx, memberIds: number[]) {
  return ctx.tx.many(
    Account,
    sql`
    select member_id, balance_minor, entries, updated_at from credit_accounts
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])
     order by member_id for update`
  )
}

/** Inserts accounts. Waits for another transaction that inserts the same one. */
export async function insertMissingAccounts(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
    select ${ctx.storeId}, m.id, 0, 0, ${ctx.now} from unnest(${memberIds}::bigint[]) as m(id) order by m.id
    on conflict (store_id, member_id) do nothing`)
}

const Spendable = row({
  memberId: int,
  dueMinor: int,
  entryId: nullable(int),
  remainingMinor: nullable(int),
  expiresAt: nullable(instant)
})

/**
 * The amount past its date, and up to `most` lots that can be spent, in the order of spending. The accounts must be locked. A
 * member without such lots has one row with an empty lot.
 */
export function listSpendable(ctx: Ctx, wanted: { memberId: number; most: number }[]) {
  return ctx.tx.many(
    Spendable,
    sql`
    select m.id as member_id, due.minor as due_minor, lot.entry_id, lot.remaining_minor, lot.expires_at
      from unnest(${wanted.map((w) => w.memberId)}::bigint[], ${wanted.map((w) => w.most)}::bigint[]) as m(id, most)
      cross join lateral (
        select coalesce(sum(l.remaining_minor), 0)::bigint as minor from credit_lots l
         where l.store_id = ${ctx.storeId} and l.member_id = m.id and l.expires_at <= ${ctx.now}) due
      left join lateral (
        select l.entry_id, l.remaining_minor, l.expires_at from credit_lots l
         where l.store_id = ${ctx.storeId} and l.member_id = m.id and (l.expires_at is null or l.expires_at > ${ctx.now})
         order by l.expires_at, l.entry_id limit m.most) lot on true
     order by m.id, lot.expires_at, lot.entry_id`
  )
}

export const dueExpiries = dueQuery(
  'credit_lots_due',
  `select l.store_id, min(l.expires_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join credit_lots l on l.store_id = s.store_id and l.expires_at <= s.until
    group by l.store_id`
)

export const nextExpiry = directSql<[storeId: number]>(
  'credit_lots_next_expiry',
  `select min(expires_at) as at from credit_lots where store_id = $1 and expires_at is not null`
)

/** The members who have lots past their date, oldest date first. */
export async function listMembersWithDueLots(ctx: Ctx, most: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select member_id from credit_lots
     where store_id = ${ctx.storeId} and expires_at <= ${ctx.now} order by expires_at limit ${most}`
  )
  return [...new Set(rows.map((r) => r.memberId))]
}

/** The lots past their date of locked accounts. */
export function listDueLots(ctx: Ctx, memberIds: number[], most: number) {
  return ctx.tx.many(
    row({ memberId: int, entryId: int, remainingMinor: int, expiresAt: instant }),
    sql`
    select member_id, entry_id, remaining_minor, expires_at from credit_lots
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and expires_at <= ${ctx.now}
     order by expires_at, entry_id limit ${most}`
  )
}

/** The entries that these operations already have. Their accounts must be locked. */
export async function listEntriesOf(ctx: Ctx, operationIds: string[]): Promise<CreditEntry[]> {
  const rows = await ctx.tx.many(
    EntryRow,
    sql`
    select id, member_id, position, type, amount_minor, balance_after_minor, reason, order_id, operation_id, expires_at,
           created_at
      from credit_entries where store_id = ${ctx.storeId} and operation_id = any(${operationIds}::text[])`
  )
  return rows.map((entry) => ({ ...entry, type: creditEntryTypeOf(entry.type) }))
}

/**
 * Writes what was planned: the entries, the accounts, and the rest of the lots. Returns the entries with their ids, in the given
 * order; ids rise with it.
 */
export async function writeLedger(ctx: Ctx, drafts: Draft[], entries: NewEntry[]): Promise<CreditEntry[]> {
  const changed = drafts.flatMap((draft) => draft.lots.filter((lot) => lot.isChanged))
  const reduced = changed.filter((lot) => lot.entryId !== null && lot.remainingMinor > 0)
  const spent = changed.filter((lot) => lot.entryId !== null && lot.remainingMinor === 0)
  const added = new Map(changed.filter((l) => l.operationId !== null).map((l) => [l.operationId, l.remainingMinor]))
  const entered = await ctx.tx.many(
    row({ id: int, operationId: text }),
    sql`
    with given as (
      select * from unnest(
        ${entries.map((e) => e.memberId)}::bigint[], ${entries.map((e) => e.position)}::bigint[],
        ${entries.map((e) => codeOfCreditEntryType(e.type))}::smallint[], ${entries.map((e) => e.amountMinor)}::bigint[],
        ${entries.map((e) => e.balanceAfterMinor)}::bigint[], ${entries.map((e) => e.reason)}::text[],
        ${entries.map((e) => e.orderId)}::bigint[], ${entries.map((e) => e.operationId)}::text[],
        ${entries.map((e) => e.expiresAt)}::timestamptz[], ${entries.map((e) => added.get(e.operationId) ?? 0)}::bigint[])
        with ordinality as g(member_id, position, type, amount, after, reason, order_id, operation_id, expires_at, lot, nth)),
    entered as (
      insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason, order_id,
                                  operation_id, expires_at, created_at)
      select ${ctx.storeId}, member_id, position, type, amount, after, reason, order_id, operation_id, expires_at, ${ctx.now}
        from given order by nth
      returning id, operation_id),
    accounts as (
      update credit_accounts a set balance_minor = d.balance, entries = d.entries, updated_at = ${ctx.now}
        from unnest(${drafts.map((d) => d.memberId)}::bigint[], ${drafts.map((d) => d.balanceMinor)}::bigint[],
                    ${drafts.map((d) => d.entries)}::bigint[]) as d(member_id, balance, entries)
       where a.store_id = ${ctx.storeId} and a.member_id = d.member_id),
    reduced as (
      update credit_lots l set remaining_minor = k.remaining
        from unnest(${reduced.map((l) => l.entryId)}::bigint[], ${reduced.map((l) => l.remainingMinor)}::bigint[])
               as k(entry_id, remaining)
       where l.store_id = ${ctx.storeId} and l.entry_id = k.entry_id),
    spent as (
      delete from credit_lots
       where store_id = ${ctx.storeId} and entry_id = any(${spent.map((l) => l.entryId)}::bigint[])),
    added as (
      insert into credit_lots (store_id, entry_id, member_id, remaining_minor, expires_at)
      select ${ctx.storeId}, e.id, g.member_id, g.lot, g.expires_at
        from entered e join given g on g.operation_id = e.operation_id where g.lot > 0
      returning entry_id)
    select id, operation_id from entered`
  )
  const ids = new Map(entered.map(({ id, operationId }) => [operationId, id]))
  return entries.map((entry) => ({ id: ids.get(entry.operationId)!, ...entry }))
}
