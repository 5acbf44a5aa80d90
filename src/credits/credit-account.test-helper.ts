import { instant, int, json, nullable, row, sql, text } from '#kit/postgres'
import { setClock } from '#stores'
import type { BuiltStore } from '../../test/store-builder.ts'

export const at = (text: string) => Temporal.Instant.from(text)
/** When the stores of these tests live. */
export const START = '2026-01-31T15:00:00Z'

export const moveTo = (store: BuiltStore, to: string) => store.inStore((ctx) => setClock(ctx, at(to)))

/** An account as the tables have it: balance, number of entries, lots in the order of spending, events that integrators get. */
export function accountOf(store: BuiltStore, memberId: number) {
  return store.inStore(async ({ tx, storeId }) => {
    const account = await tx.one(
      row({ balanceMinor: int, entries: int }),
      sql`select balance_minor, entries from credit_accounts where store_id = ${storeId} and member_id = ${memberId}`
    )
    const lots = await tx.many(
      row({ remainingMinor: int, expiresAt: nullable(instant) }),
      sql`select remaining_minor, expires_at from credit_lots where store_id = ${storeId} and member_id = ${memberId}
           order by expires_at, entry_id`
    )
    const events = await tx.many(
      row({ type: text, data: json<Record<string, unknown>>() }),
      sql`select name as type, data::jsonb as data from facts
           where store_id = ${storeId} and ordering_key = ${`member:${memberId}`} and name <> 'store_credit.history_changed' and name !~ '^customer[.]'
           order by id`
    )
    return { ...account, lots, events }
  })
}
