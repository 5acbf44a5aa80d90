import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { defineJob, enqueue, type JobOutcome, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, row, sql, text } from '#kit/postgres'
import { cancelSubscription } from '#lifecycle'
import { notify, settingsOf } from '#stores'
import { lockSubscription } from '#subscriptions'
import { isLost } from './disputes.ts'
import { namesOf, type OrderLink } from './link-orders.ts'
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

/** What follows, once for each dispute, when a subscription's order is lost to it: an alert, or the end of the membership. */
export async function applyLostDisputes(ctx: Ctx, orders: { order: OrderState; links: OrderLink[] }[]): Promise<void> {
  const lost = orders.flatMap(({ order, links }) =>
    links.length === 0 ? [] : order.disputes.filter(isLost).map(({ id }) => ({ id, order, links }))
  )
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
  // Who subscribes to products only keeps getting them: that is for people to decide.
  const ids = news.flatMap(({ links }) =>
    links.flatMap(({ tierName, subscriptionId }) => (tierName === null ? [] : subscriptionId))
  )
  if (onLost === 'cancel') {
    await enqueue(
      ctx,
      cancelDisputedJob,
      ids.map((subscriptionId) => ({ subscriptionId }))
    )
  }
  for (const { id, order, links } of news) {
    const ended = onLost === 'cancel' ? links.filter(({ tierName }) => tierName !== null) : []
    const left = links.filter((link) => !ended.includes(link))
    const what = [
      ...(ended.length > 0 ? [`${namesOf(ended)} ${ended.length === 1 ? 'is' : 'are'} cancelled.`] : []),
      ...(left.length > 0
        ? [
            `${namesOf(left)} ${left.length === 1 ? 'goes on: cancel it if it is' : 'go on: cancel them if they are'} to end.`
          ]
        : [])
    ].join(' ')
    const isMembership = links.some(({ tierName }) => tierName !== null)
    await notify(ctx, {
      kind: 'dispute_lost',
      subject: `A dispute of a ${isMembership ? 'membership' : 'subscription'} order was lost`,
      message: `Dispute ${id} of order ${publicId('ord', order.id)}, which belongs to ${namesOf(links)}, was lost. ${what}`
    })
  }
}
