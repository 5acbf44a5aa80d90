import type { RowScope } from '../endpoint.ts'

/** A text of several lines as one, for fields whose entries are separated by newlines. */
export const oneLine = (text: string): string => `translate(${text}, E'\\n\\r', '  ')`

/**
 * A failed charge: not one that charged nothing, nor one that turned out to be paid. `alias` is that of an attempt. Without statistics
 * the index on the status would be taken for as good as the one on the subscription, so the status is no bare column here.
 */
export const isFailure = (alias: string): string =>
  `${alias}.status || '' = 'failed' and ${alias}.late_success_at is null and ${alias}.error_code not in ('voided', 'superseded')`

/** The finished attempts, by the index that has them by their time. Those that ended before they charged anything are none. */
export const isFinished = (alias: string): string =>
  `${alias}.completed_at is not null and coalesce(${alias}.error_code, '') not in ('voided', 'superseded')`

/** The failures of the cycle of an attempt, oldest first, one a line. `cycle` is the alias of that attempt. */
export const failuresOfCycle = (store: string, cycle: string): string => `(
  select string_agg(${oneLine('coalesce(q.error_message, q.error_code)')}, E'\\n' order by q.completed_at, q.id)
    from billing_attempts q
   where q.store_id = ${store} and q.subscription_id = ${cycle}.subscription_id and q.cycle_index = ${cycle}.cycle_index
     and ${isFailure('q')})`

/**
 * Whether an order's code spends store credit, for PostgreSQL: `isCreditCode` of `#spending` in SQL.
 */
export const isCreditCode = (code: string): string => `is_credit_code(${code})`

/**
 * The entries of the ledger that are shown: all but the redemptions of cancelled orders that were restored in whole, and what has
 * restored them. `e` is an entry. Where its ids are within a range they are merged with the hidden ones of that range. Elsewhere each is
 * looked up, and the offset keeps PostgreSQL from collecting all that are hidden first.
 */
export const isShownEntry = ({ store, within }: RowScope): string => `not exists (
    select from hidden_credit_entries h where h.store_id = ${store} and h.entry_id = e.id ${
      within ? `and ${within('h.entry_id')}` : 'offset 0'
    })`

/**
 * The entries of the ledger that show something of these customers or orders; also those that entries of these customers restore, which stay with
 * a customer who was merged.
 */
export const ENTRIES_ABOUT = `select id from credit_entries where store_id = $1 and member_id in (select id from related)
  union select reverses_id from credit_entries
   where store_id = $1 and member_id in (select id from related) and reverses_id is not null
  union select id from credit_entries where store_id = $1 and order_id in (select id from given_orders)`
