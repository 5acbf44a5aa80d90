import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { defineJob, enqueue, type JobOutcome, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, row, sql, text } from '#kit/postgres'
import { cancelSubscription } from '#lifecycle'
import { notify, settingsOf } from '#stores'
import { lockSubscription } from '#subscriptions'
import { isLost } from './disputes.ts'
import type { OrderLink } from './link-orders.ts'
import type { OrderState } from './read-orders.ts'
import { disputeSettings } from './settings.ts'

const CancelDisputed = Type.Object({ subscriptionId: Type.Integer() })

/** Cancels memberships whose order was lost to a dispute, in a transaction of its own: subscriptions are locked before members. */
export const cancelDisputedJob = defineJob(
  'cancel-disputed',
  CancelDisputed,
  { priority: 'high', dedupe: ({ subscriptionId }) => subscriptionId },
  cancelDisputed
)

async function cancelDisputed(
  { db }: { db: Database },
  storeId: number,
  jobs: QueuedJob<Static<typeof CancelDisputed>>[]
): Promise<JobOutcome[]> {
  for (const { input } of jobs) {
    await db.inStore(storeId, async (ctx) => {
      const { status } = await lockSubscription(ctx, input.subscriptionId)
      if (status !== 'active' && status !== 'paused') return
      const why = { reason: 'chargeback', comment: 'The dispute of its order was lost' }
      await cancelSubscription(ctx, input.subscriptionId, { ...why, by: 'scheduler' })
    })
  }
  return jobs.map(() => ({ done: true }))
}

/** What follows, once for each dispute, when a membership's order is lost to it: an alert, or the end of the membership. */
export async function applyLostDisputes(ctx: Ctx, orders: { order: OrderState; links: OrderLink[] }[]): Promise<void> {
  const lost = orders.flatMap(({ order, links }) => {
    const memberships = links.filter(({ tierName }) => tierName !== null)
    return memberships.length === 0 ? [] : order.disputes.filter(isLost).map(({ id }) => ({ id, order, memberships }))
  })
  if (lost.length === 0) return
  const fresh = await ctx.tx.many(
    row({ platformDisputeId: text }),
    sql`
    insert into lost_disputes (store_id, platform_dispute_id, order_id, handled_at)
    select ${ctx.storeId}, t.id, t.order_id, ${ctx.now}
      from unnest(${lost.map(({ id }) => id)}::text[], ${lost.map(({ order }) => order.id)}::bigint[]) as t(id, order_id)
     order by t.id
    on conflict (store_id, platform_dispute_id) do nothing
    returning platform_dispute_id`
  )
  const isFresh = new Set(fresh.map(({ platformDisputeId }) => platformDisputeId))
  const { onLost } = await settingsOf(ctx, disputeSettings)
  const news = lost.filter(({ id }) => isFresh.has(id))
  const ids = news.flatMap(({ memberships }) => memberships.map(({ subscriptionId }) => subscriptionId))
  if (onLost === 'cancel') {
    await enqueue(
      ctx,
      cancelDisputedJob,
      ids.map((subscriptionId) => ({ subscriptionId }))
    )
  }
  for (const { id, order, memberships } of news) {
    const names = memberships.map(({ subscriptionId }) => publicId('sub', subscriptionId)).join(', ')
    const isOne = memberships.length === 1
    const ended = `${names} ${isOne ? 'is' : 'are'} cancelled.`
    const left = `${names} ${isOne ? 'goes on: cancel it if it is' : 'go on: cancel them if they are'} to end.`
    await notify(ctx, {
      kind: 'dispute_lost',
      subject: 'A dispute of a membership order was lost',
      message: `Dispute ${id} of order ${publicId('ord', order.id)}, which belongs to ${names}, was lost. ${onLost === 'cancel' ? ended : left}`
    })
  }
}
