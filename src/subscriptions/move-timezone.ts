import { Type } from 'typebox'
import { defineJob, enqueue, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { storeFacts } from '#stores'
import { lockSubscriptions } from './lock-subscriptions.ts'

const BATCH = 500

/** Moves a shop's subscriptions to its new time zone. */
export const moveTimezoneJob = defineJob('move-timezone', Type.Object({}), { dedupe: () => 'move-timezone' }, moveAll)

/**
 * The shop lives in another time zone from now on; to be called in the transaction that changed the zone. Its subscriptions
 * follow in batches after the commit, and each one at the latest when it is next held by anybody (`todays-clocks.ts`).
 */
export function moveTimezone(ctx: Ctx): Promise<void> {
  return enqueue(ctx, moveTimezoneJob, [{}])
}

/** Each batch is a transaction of its own, so that no lock is held for long; after a crash the rest follows. */
async function moveAll({ db }: { db: Database }, storeId: number, jobs: QueuedJob<object>[]) {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last
    last = await db.inStore(storeId, (ctx) => moveNextOntoClocks(ctx, after))
  }
  return jobs.map(() => ({ done: true }) as const)
}

/** Moves the next subscriptions after this id; returns the last of them, null when none is left. */
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
