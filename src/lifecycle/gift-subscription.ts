import { publicId } from '#kit/ids'
import { record } from '#kit/outbox'
import { type Ctx, sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { listCustomers, mustBeAllowedCountry } from '#members'
import { findPlan } from '#plans'
import { storeFacts } from '#stores'
import {
  type Actor,
  changesOf,
  holderOf,
  lines,
  lockSubscriptions,
  mustAllow,
  named,
  recordActivities,
  refreshStandings,
  type Subscription,
  subscriptionNotFound,
  subscriptionUpdated
} from '#subscriptions'

/**
 * Gives a membership to another customer, who holds it from now on; the contract's customer goes on paying for it. One that
 * was given away before goes over to the new receiver. Giving it to who has it already changes nothing.
 */
export async function giftSubscription(ctx: Ctx, id: number, receiverId: number, by: Actor): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  mustAllow('gift', subscription, ctx.now)
  if (subscription.receiverMemberId === receiverId) return subscription
  if (subscription.memberId === receiverId)
    throw invalidField('receiver', 'takes another customer than the one who pays')
  const [receiver] = await listCustomers(ctx, [receiverId])
  if (!receiver) throw new Refusal('not_found', `There is no customer ${publicId('cust', receiverId)}`)
  const plan = subscription.planId === null ? null : await findPlan(ctx, subscription.planId)
  if (plan?.type === 'product') {
    throw new Refusal(
      'conflict',
      `Subscription ${publicId('sub', id)} is for products: only a membership can be given away`
    )
  }
  if (plan) await mustBeAllowedCountry(ctx, plan, receiverId, 'receiver')
  return handOver(ctx, subscription, receiverId, by)
}

/** The contract's customer holds it again. */
export async function takeBackGift(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  mustAllow('take_back', subscription, ctx.now)
  if (subscription.receiverMemberId === null) {
    throw new Refusal('conflict', `Subscription ${publicId('sub', id)} is not given to anybody`)
  }
  return handOver(ctx, subscription, null, by)
}

/** Makes another member the holder of a locked subscription, with what follows for both. */
export async function handOver(
  ctx: Ctx,
  before: Subscription,
  receiverId: number | null,
  by: Actor
): Promise<Subscription> {
  const giftedAt = receiverId === null ? null : ctx.now
  const after = { ...before, receiverMemberId: receiverId, giftedAt, updatedAt: ctx.now }
  await ctx.tx.run(sql`
    update subscriptions set receiver_member_id = ${receiverId}, gifted_at = ${giftedAt}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${before.id}`)
  const ofMembers = await refreshStandings(ctx, [holderOf(before), holderOf(after)])
  const { profile } = await storeFacts(ctx)
  // Who becomes a member is told of before what they hold.
  const isFirst = ({ type }: { type: string }) => type === 'member.created'
  await record(
    ctx,
    ...ofMembers.filter(isFirst),
    subscriptionUpdated(after, changesOf(before, after), profile),
    ...ofMembers.filter((event) => !isFirst(event))
  )
  await recordActivities(ctx, [{ ...lines.gifted(before, after), ...named(by), subscriptionId: before.id }])
  return after
}
