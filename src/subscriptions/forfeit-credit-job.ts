import { type Static, Type } from 'typebox'
import { forfeitCredit, giveBackForfeit } from '#credits'
import { isoOf } from '#kit/clock'
import { defineJob, enqueue, type JobOutcome, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, instant, int, row, sql } from '#kit/postgres'
import { settingsOf } from '#stores'
import { creditOnCancellationSettings } from './settings.ts'
import { holderOf, type Subscription } from './subscription.ts'

const ForfeitCredit = Type.Object({ subscriptionId: Type.Integer() })

/** Takes the credit of members whose membership has ended. */
export const forfeitCreditJob = defineJob(
  'forfeit-credit',
  ForfeitCredit,
  { dedupe: ({ subscriptionId }) => subscriptionId },
  forfeitAfterCommit
)

/** Where the store forfeits credit on cancellation: has that of the holders of these subscriptions taken after the commit. */
export async function enqueueForfeits(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  if ((await settingsOf(ctx, creditOnCancellationSettings)) !== 'forfeit') return
  await enqueue(
    ctx,
    forfeitCreditJob,
    subscriptionIds.map((subscriptionId) => ({ subscriptionId }))
  )
}

async function forfeitAfterCommit(
  { db }: { db: Database },
  storeId: number,
  jobs: QueuedJob<Static<typeof ForfeitCredit>>[]
): Promise<JobOutcome[]> {
  await db.inStore(storeId, (ctx) =>
    forfeitCreditOf(
      ctx,
      jobs.map(({ input }) => input.subscriptionId)
    )
  )
  return jobs.map(() => ({ done: true }))
}

/**
 * Takes the credit of members whose last membership was cancelled or has failed, whoever cancelled it. One that is reactivated
 * meanwhile forfeits nothing.
 */
async function forfeitCreditOf(ctx: Ctx, ids: number[]): Promise<void> {
  // Against a reactivation at the same time.
  await ctx.tx.run(sql`
    select id from subscriptions where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) order by id for update`)
  const ended = await ctx.tx.many(
    row({ id: int, memberId: int, cancelledAt: instant }),
    sql`
    with held as (
      select s.id, coalesce(s.receiver_member_id, s.member_id) as member_id, s.status, s.cancelled_at
        from subscriptions s
        join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id and p.type <> 'product'
       where s.store_id = ${ctx.storeId}
         and coalesce(s.receiver_member_id, s.member_id) in (
           select coalesce(e.receiver_member_id, e.member_id) from subscriptions e
            where e.store_id = ${ctx.storeId} and e.id = any(${ids}::bigint[])))
    select h.id, h.member_id, h.cancelled_at from held h
     where h.id = any(${ids}::bigint[]) and h.status in ('cancelled', 'failed') and h.cancelled_at is not null
       and not exists (select from held o where o.member_id = h.member_id and o.status in ('active', 'paused'))
     order by h.id`
  )
  await forfeitCredit(
    ctx,
    ended.map(({ id, memberId, cancelledAt }) => ({
      memberId,
      reason: 'membership cancelled',
      operationId: forfeitOf(id, cancelledAt)
    }))
  )
}

/** Gives back what the cancellation that is taken back has forfeited. */
export async function giveBackForfeitOf(ctx: Ctx, cancelled: Subscription): Promise<void> {
  if (cancelled.cancelledAt === null) return
  const operationId = forfeitOf(cancelled.id, cancelled.cancelledAt)
  await giveBackForfeit(ctx, { operationId, memberId: holderOf(cancelled), reason: 'cancellation revoked' })
}

const forfeitOf = (id: number, cancelledAt: Temporal.Instant) => `forfeit:sub_${id}:${isoOf(cancelledAt)}`
