import { enqueue } from '#kit/jobs'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { storeFacts } from '#stores'
import { lockSubscriptions } from './lock-subscriptions.ts'

export const MOVE_TIMEZONE = 'move-timezone'
const BATCH = 500

/**
 * The shop lives in another time zone from now on; to be called in the transaction that changed the zone. Its subscriptions
 * follow in batches after the commit, and each one at the latest when it is next held by anybody (`todays-clocks.ts`).
 */
export function moveTimezone(ctx: Ctx): Promise<void> {
  return enqueue(ctx, MOVE_TIMEZONE, [{ key: MOVE_TIMEZONE, payload: {} }])
}

/** Brings the next subscriptions after this one onto the shop's clocks. The answer is the last of them; null when none is left. */
export async function moveNextOntoClocks(ctx: Ctx, after: number): Promise<number | null> {
  const { pastTimezones } = await storeFacts(ctx)
  const behind = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and id > ${after} and timezone_moves < ${pastTimezones.length}
       and (status in ('active', 'paused') or grace_ends_at is not null)
     order by id limit ${BATCH}`
  )
  await lockSubscriptions(
    ctx,
    behind.map(({ id }) => id)
  )
  return behind.at(-1)?.id ?? null
}
