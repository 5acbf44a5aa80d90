import { type Ctx, instant, nullable, row, sentTogether, sql, text } from '#kit/postgres'
import type { ExportEndpoint } from '../endpoint.ts'
import { type FactCursor, readFactsSince } from './fact-cursor.ts'
import { findTouchedRows, type TouchedRows } from './touched-rows.ts'

/** What is known of a store's rows at one moment. */
export type Look = {
  /** Null: nobody can tell later what changed since. */
  cursor: FactCursor | null
  /** Another one when something changed that no fact reports, and that rows of many customers show. */
  version: string
  /** Since the cursor before; null: everything may have changed. */
  touched: TouchedRows | null
}

const Version = row({ version: text })

/** What changed of these endpoints since `before`. */
export async function lookAtStore(
  ctx: Ctx,
  before: { cursor: FactCursor | null },
  endpoints: readonly ExportEndpoint[]
): Promise<Look> {
  const { storeId, tx } = ctx
  const [{ version }, { cursor, subjects }] = await sentTogether(
    tx.one(
      Version,
      sql`
      select concat_ws(' ',
               (select concat_ws('|', timezone, currency, platform_profile) from stores where store_id = ${storeId}),
               (select count(*) from sales_channels where store_id = ${storeId}),
               (select string_agg(concat_ws('|', key, created_at, is_active, is_shown, balances_version), ',' order by key)
                  from reward_integrations where store_id = ${storeId})) as version`
    ),
    readFactsSince(ctx, before.cursor)
  )
  return { cursor, version, touched: subjects && (await findTouchedRows(ctx, endpoints, subjects)) }
}

/** When rows next change although nothing happens, because credit or what was reserved of it is over; null: never, as things are. */
export async function findNextExpiry({ storeId, tx }: Ctx, after: Temporal.Instant): Promise<Temporal.Instant | null> {
  const { at } = await tx.one(
    row({ at: nullable(instant) }),
    sql`
    select least(
      (select expires_at from credit_lots
        where store_id = ${storeId} and expires_at is not null and expires_at > ${after} order by expires_at limit 1),
      (select expires_at from credit_reservations
        where store_id = ${storeId} and status = 'reserved' and expires_at > ${after} order by expires_at limit 1)) as at`
  )
  return at
}
