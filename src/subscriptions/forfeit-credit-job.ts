import { type Static, Type } from 'typebox'
import { forfeitCredit, giveBackForfeit } from '#credits'
import { isoOf } from '#kit/clock'
import { defineJob, enqueue, type JobOutcome, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, instant, int, nullable, row, sql } from '#kit/postgres'
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
  const cancellations = await listCancellations(
    ctx,
    ended.map(({ id }) => id)
  )
  await forfeitCredit(
    ctx,
    ended.map(({ id, memberId, cancelledAt }) => ({
      memberId,
      reason: 'membership cancelled',
      operationId: forfeitOf(id, cancellations.get(id) ?? null),
      formerId: formerForfeitOf(id, cancelledAt)
    }))
  )
}

/**
 * Gives back what was forfeited since the cancellation that is taken back: by it, or by that of another membership of the same member, which was the
 * last one only because this one had ended.
 */
export async function giveBackForfeitOf(ctx: Ctx, cancelled: Subscription): Promise<void> {
  const { id, cancelledAt } = cancelled
  if (cancelledAt === null) return
  const memberId = holderOf(cancelled)
  const others = await ctx.tx.many(
    row({ id: int, cancelledAt: instant }),
    sql`
    select s.id, s.cancelled_at from subscriptions s
     where s.store_id = ${ctx.storeId} and s.id <> ${id} and s.status in ('cancelled', 'failed') and s.cancelled_at >= ${cancelledAt}
       and (s.receiver_member_id = ${memberId} or s.receiver_member_id is null and s.member_id = ${memberId})
       and exists (select from subscriptions o join plans p on p.store_id = ${ctx.storeId} and p.id = o.plan_id and p.type <> 'product'
                    where o.store_id = ${ctx.storeId} and o.id = ${id})
     order by s.cancelled_at, s.id`
  )
  const ended = [{ id, cancelledAt }, ...others]
  const cancellations = await listCancellations(
    ctx,
    ended.map(({ id }) => id)
  )
  for (const one of ended) {
    const of = { memberId, reason: 'cancellation revoked' }
    await giveBackForfeit(ctx, { ...of, operationId: forfeitOf(one.id, cancellations.get(one.id) ?? null) })
    await giveBackForfeit(ctx, { ...of, operationId: formerForfeitOf(one.id, one.cancelledAt) })
  }
}

/** The latest end of each subscription in its history: no other cancellation has its number, also at the same instant. */
async function listCancellations(ctx: Ctx, ids: number[]): Promise<Map<number, number>> {
  const rows = await ctx.tx.many(
    row({ id: int, activityId: nullable(int) }),
    sql`
    select t.id, (select max(a.id) from contract_activities a
                   where a.store_id = ${ctx.storeId} and a.subscription_id = t.id and a.kind in ('cancelled', 'failed'))
                   as activity_id
      from unnest(${ids}::bigint[]) as t(id)`
  )
  return new Map(rows.flatMap(({ id, activityId }) => (activityId === null ? [] : [[id, activityId] as const])))
}

/** Null: its end is not in the history, as of one that had ended when it was imported. */
const forfeitOf = (id: number, activityId: number | null) => `forfeit:sub_${id}:${activityId ?? 'ended'}`

/** What earlier versions made of the time, of which two cancellations may have the same. */
const formerForfeitOf = (id: number, cancelledAt: Temporal.Instant) => `forfeit:sub_${id}:${isoOf(cancelledAt)}`
