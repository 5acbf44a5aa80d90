import { type Static, Type } from 'typebox'
import { defineJob, enqueue, type JobOutcome, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { lockSubscriptions } from './lock-subscriptions.ts'

const BATCH = 500

/** `after`: the last subscription of the batch before; left out at the beginning. */
const RebaseTimezone = Type.Object({ after: Type.Optional(Type.Integer()) })

/** Moves a shop's subscriptions to its new time zone. */
export const rebaseTimezoneJob = defineJob(
  'rebase-timezone',
  RebaseTimezone,
  { priority: 'low', dedupe: () => 'rebase-timezone' },
  rebaseNext
)

/**
 * Moves the shop's subscriptions to its new time zone: in batches after the commit, and each one at the latest when it is next
 * locked (`rebase-timezone.ts`). To be called in the transaction that changed the zone.
 */
export function enqueueTimezoneRebase(ctx: Ctx): Promise<void> {
  return enqueue(ctx, rebaseTimezoneJob, [{}])
}

/** Does a batch per run, each in a transaction of its own, so that no lock is held for long. */
async function rebaseNext(
  { db }: { db: Database },
  storeId: number,
  jobs: QueuedJob<Static<typeof RebaseTimezone>>[]
): Promise<JobOutcome[]> {
  const outcomes: JobOutcome[] = []
  for (const { input, renewLease } of jobs) {
    const last = await db.inStore(storeId, async (ctx) => {
      await renewLease(ctx)
      return rebaseNextSubscriptions(ctx, input.after ?? 0)
    })
    outcomes.push(last === null ? { done: true } : { done: false, continues: true, input: { after: last } })
  }
  return outcomes
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
