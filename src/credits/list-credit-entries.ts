import { type Ctx, int, row, sql } from '#kit/postgres'
import { type CreditEntry, EntryRow } from './credit.ts'
import { creditEntryTypeOf } from './credit-entry-types.ts'

/**
 * A page of a customer's ledger, newest first. Entries are numbered without a gap and the account has their number, so a page
 * costs the same at any offset, and the total nothing.
 */
export async function listCreditEntries(
  ctx: Ctx,
  memberId: number,
  { limit, offset }: { limit: number; offset: number }
): Promise<{ rows: CreditEntry[]; total: number }> {
  const account = await ctx.tx.maybeOne(
    row({ entries: int }),
    sql`select entries from credit_accounts where store_id = ${ctx.storeId} and member_id = ${memberId}`
  )
  const total = account?.entries ?? 0
  const newest = total - offset
  const rows = await ctx.tx.many(
    EntryRow,
    sql`
    select id, member_id, position, type, amount_minor, balance_after_minor, reason, order_id, operation_id, expires_at,
           created_at, reverses_id, shortfall_minor, mark
      from credit_entries
     where store_id = ${ctx.storeId} and member_id = ${memberId}
       and position <= ${newest} and position > ${newest - limit}
     order by position desc`
  )
  return { rows: rows.map((entry) => ({ ...entry, type: creditEntryTypeOf(entry.type) })), total }
}
