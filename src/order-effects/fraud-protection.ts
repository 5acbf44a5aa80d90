// What the storefront setting svc_protection decides: an open or lost chargeback freezes what its order has issued, and bars a second trial.
import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { defineJob, enqueue, type JobOutcome, type QueuedJob } from '#kit/jobs'
import { type Ctx, type Database, int, row, sql, text } from '#kit/postgres'
import { pauseSubscription } from '#lifecycle'
import { protection, storefrontSetting } from '#storefront-settings'
import { notify } from '#stores'
import { actorOf } from '#subscriptions'
import { type DisputeState, ENDED_WELL, isCounted, isLost, LOST } from './disputes.ts'
import { namesOf, type OrderLink } from './link-orders.ts'
import type { OrderState } from './read-orders.ts'

/**
 * Follows disputes that count for the first time: keeps whether the shop is protected now, raises an alert for an open chargeback of an
 * order with subscriptions, and bars the second trials of its customers. `past`: orders from before the store was connected, without
 * alerts. Returns the orders with what holds of each dispute.
 */
export async function followDisputes(
  ctx: Ctx,
  orders: OrderState[],
  linksOf: (order: OrderState) => OrderLink[],
  past: ReadonlySet<number>
): Promise<OrderState[]> {
  const news = orders.flatMap((order) =>
    order.disputes
      .filter((dispute) => isCounted(dispute) && dispute.isProtected === null)
      .map((dispute) => ({ order, dispute }))
  )
  if (news.length === 0) return orders
  const isProtected = (await storefrontSetting(ctx, protection)).svc_protection
  await ctx.tx.run(sql`
    insert into followed_disputes (store_id, platform_dispute_id, order_id, is_protected, followed_at)
    select ${ctx.storeId}, t.id, t.order_id, ${isProtected}, ${ctx.now}
      from unnest(${news.map(({ dispute }) => dispute.id)}::text[], ${news.map(({ order }) => order.id)}::bigint[]) as t(id, order_id)
     order by t.id
    on conflict (store_id, platform_dispute_id) do nothing`)
  for (const { order, dispute } of news) {
    const links = linksOf(order)
    const isOurs = (links.length > 0 || order.isOfContract) && !past.has(order.id)
    // One that is lost has an alert of its own.
    if (isOurs && !isLost(dispute)) await alertOpen(ctx, order, dispute, links, isProtected)
  }
  await barSecondTrials(ctx, { memberIds: news.flatMap(({ order }) => order.memberId ?? []) })
  const isNew = new Set(news.map(({ dispute }) => dispute.id))
  return orders.map((order) => ({
    ...order,
    disputes: order.disputes.map((dispute) => (isNew.has(dispute.id) ? { ...dispute, isProtected } : dispute))
  }))
}

async function alertOpen(
  ctx: Ctx,
  order: OrderState,
  dispute: DisputeState,
  links: OrderLink[],
  isProtected: boolean
): Promise<void> {
  const names = namesOf(links) || 'a subscription'
  const what = isProtected
    ? 'The store credit and points that the order has issued are taken back unless the chargeback is won.'
    : 'Fraud protection (svc_protection) is off, so the customer keeps the store credit and points of the order.'
  await notify(ctx, {
    kind: 'chargeback_opened',
    subject: 'A chargeback of an order was opened',
    message: `Chargeback ${dispute.id} is about order ${publicId('ord', order.id)}, which belongs to ${names}. ${what}`
  })
}

const BarSecondTrial = Type.Object({ subscriptionId: Type.Integer() })

/** Pauses a trial that is barred, in a transaction of its own: subscriptions are locked before members. */
export const barSecondTrialJob = defineJob(
  'bar-second-trial',
  BarSecondTrial,
  { priority: 'high', dedupe: ({ subscriptionId }) => subscriptionId },
  pauseBarred
)

/**
 * Has those of the subscriptions, or of the customers' subscriptions, paused that are in a second trial of a customer with an open or lost
 * chargeback, if the shop is protected.
 */
export async function barSecondTrials(
  ctx: Ctx,
  { subscriptionIds = [], memberIds = [] }: { subscriptionIds?: number[]; memberIds?: number[] }
): Promise<void> {
  if (subscriptionIds.length + memberIds.length === 0) return
  const barred = await findBarred(ctx, subscriptionIds, memberIds)
  if (barred.length === 0 || !(await storefrontSetting(ctx, protection)).svc_protection) return
  await enqueue(
    ctx,
    barSecondTrialJob,
    barred.map(({ id }) => ({ subscriptionId: id }))
  )
}

/** A trial of a membership is a second one when the customer had one before, whatever became of that. */
function findBarred(ctx: Ctx, subscriptionIds: number[], memberIds: number[]) {
  return ctx.tx.many(
    row({ id: int, disputeId: text }),
    sql`
    select s.id, min(d.platform_dispute_id) as dispute_id
      from subscriptions s
      join plans sp on sp.store_id = ${ctx.storeId} and sp.id = s.plan_id and sp.type <> 'product'
      join subscriptions e on e.store_id = ${ctx.storeId} and e.member_id = s.member_id and e.id < s.id and e.trial_ends_at is not null
      join plans ep on ep.store_id = ${ctx.storeId} and ep.id = e.plan_id and ep.type <> 'product'
      join orders o on o.store_id = ${ctx.storeId} and o.member_id = s.member_id
      join order_disputes d on d.store_id = ${ctx.storeId} and d.order_id = o.id
      join followed_disputes f on f.store_id = ${ctx.storeId} and f.platform_dispute_id = d.platform_dispute_id and f.is_protected
     where s.store_id = ${ctx.storeId} and (s.id = any(${subscriptionIds}::bigint[]) or s.member_id = any(${memberIds}::bigint[]))
       and s.status = 'active' and s.cycle_index = 0 and s.trial_ends_at > ${ctx.now}
       and (d.status = any(${LOST}::text[]) or (d.type = 'chargeback' and d.status <> all(${ENDED_WELL}::text[])))
     group by s.id order by s.id`
  )
}

async function pauseBarred(
  { db }: { db: Database },
  storeId: number,
  jobs: QueuedJob<Static<typeof BarSecondTrial>>[]
): Promise<JobOutcome[]> {
  for (const { input } of jobs) {
    await db.inStore(storeId, async (ctx) => {
      const [barred] = await findBarred(ctx, [input.subscriptionId], [])
      if (!barred) return
      await pauseSubscription(ctx, barred.id, null, actorOf('scheduler'))
      await notify(ctx, {
        kind: 'second_trial_barred',
        subject: 'A second trial of a customer with a chargeback was paused',
        message: `${publicId('sub', barred.id)} is in its trial. Its customer had a trial before, and dispute ${barred.disputeId} of one of their orders is open or lost. Resume it if it is to go on, or cancel it and refund its order.`
      })
    })
  }
  return jobs.map(() => ({ done: true }))
}
