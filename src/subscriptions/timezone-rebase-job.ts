import { Type } from 'typebox'
import { defineJob, enqueue, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { lockSubscriptions } from './lock-subscriptions.ts'

const BATCH = 500

/** Moves a shop's subscriptions to its new time zone. */
export const rebaseTimezoneJob = defineJob(
  'rebase-timezone',
  Type.Object({}),
  { priority: 'low', dedupe: () => 'rebase-timezone' },
  moveAll
)

/**
 * Moves the shop's subscriptions to its new time zone: in batches after the commit, and each one at the latest when it is next
 * locked (`rebase-timezone.ts`). To be called in the transaction that changed the zone.
 */
export function enqueueTimezoneRebase(ctx: Ctx): Promise<void> {
  return enqueue(ctx, rebaseTimezoneJob, [{}])
}

/** Each batch is a transaction of its own, so that no lock is held for long; after a crash the rest follows. */
async function moveAll({ db }: { db: Database }, storeId: number, jobs: QueuedJob<object>[]) {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last
    last = await db.inStore(storeId, (ctx) => rebaseNextSubscriptions(ctx, after))
  }
  return jobs.map(() => ({ done: true }) as const)
}

/** Moves the next subscriptions after this id; returns the last of them, null when none is left. */
export async function rebaseNextSubscriptions(ctx: Ctx, after: number): Promise<number | null> {
  const { pastTimezones } = await storeContext(ctx)
  const outdated = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and id > ${after} and timezone_rebases < ${pastTimezones.length}
       and (status in ('active', 'paused') or grace_ends_at is not null)
     order by id limit ${BATCH}`
  )
  await lockSubscriptions(
    ctx,
    outdated.map(({ id }) => id)
  )
  return outdated.at(-1)?.id ?? null
}
