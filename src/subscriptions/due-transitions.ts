import { type Ctx, int, row, sql } from '#kit/postgres'
import { lockEndedPauses } from './lock-subscriptions.ts'
import { enqueueContractPush } from './platform-requests.ts'
import { enqueueWaitingEdits } from './requested-changes.ts'
import { applyTransitions } from './transitions/apply-transitions.ts'
import { planResume } from './transitions/plan-continue.ts'
import { planContextOf } from './transitions/transition-plan.ts'

// What time alone changes on a subscription's own row. Nothing is charged or sent by it, so no charge has to follow.

/**
 * Resumes subscriptions whose pause has ended by now, up to `limit`, and returns how many. Where the pause ended long ago,
 * while the service was down, the cycles since then are not missed: they are due.
 */
export async function resumeEndedPauses(ctx: Ctx, limit: number): Promise<number> {
  const ended = await lockEndedPauses(ctx, limit)
  if (ended.length === 0) return 0
  const context = await planContextOf(ctx)
  await applyTransitions(
    ctx,
    // A cycle at the very moment of the end is no longer in the pause.
    ended.map((s) => planResume(s, null, context, s.resumesAt!.subtract({ nanoseconds: 1 }))),
    'scheduler'
  )
  return ended.length
}

/** Makes cancellations final whose grace period has ended by now, up to `limit`, on the platform too; returns how many. */
export async function endGraces(ctx: Ctx, limit: number): Promise<number> {
  const ended = await ctx.tx.many(
    row({ id: int }),
    sql`
    with ended as (
      select id from subscriptions
       where store_id = ${ctx.storeId} and grace_ends_at <= ${ctx.now}
       order by grace_ends_at, id limit ${limit} for update skip locked)
    update subscriptions s set grace_ends_at = null
      from ended
     where s.store_id = ${ctx.storeId} and s.id = ended.id
    returning s.id`
  )
  const ids = ended.map(({ id }) => id)
  await enqueueContractPush(ctx, ids)
  await enqueueWaitingEdits(ctx, ids)
  return ids.length
}
