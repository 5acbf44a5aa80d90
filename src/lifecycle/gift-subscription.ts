import { publicId } from '#kit/ids'
import { type Fact, record } from '#kit/outbox'
import { type Ctx, sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { assertAllowedCountry, listCustomers } from '#members'
import { findPlan } from '#plans'
import { storeContext } from '#stores'
import {
  type Actor,
  activityMessages,
  actorOf,
  assertAllowed,
  changesOf,
  holderOf,
  lockSubscriptions,
  recordActivities,
  refreshMembershipStatuses,
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
  assertAllowed('gift', subscription, ctx.now)
  if (subscription.receiverMemberId === receiverId) return subscription
  if (subscription.memberId === receiverId)
    throw invalidField('receiver', 'must be another customer than the one who pays')
  const [receiver] = await listCustomers(ctx, [receiverId])
  if (!receiver) throw new Refusal('not_found', `There is no customer ${publicId('cust', receiverId)}`)
  const plan = subscription.planId === null ? null : await findPlan(ctx, subscription.planId)
  if (plan?.type === 'product') {
    throw new Refusal(
      'conflict',
      `Subscription ${publicId('sub', id)} is for products: only a membership can be given away`
    )
  }
  if (plan) await assertAllowedCountry(ctx, plan, receiverId, 'receiver')
  return changeHolder(ctx, subscription, receiverId, by)
}

/** The contract's customer holds it again. */
export async function revokeGift(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  assertAllowed('revoke_gift', subscription, ctx.now)
  if (subscription.receiverMemberId === null) {
    throw new Refusal('conflict', `Subscription ${publicId('sub', id)} is not given to anybody`)
  }
  return changeHolder(ctx, subscription, null, by)
}

/** Makes another member the holder of a locked subscription, with what follows for both. */
export async function changeHolder(
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
  const ofMembers = await refreshMembershipStatuses(ctx, [holderOf(before), holderOf(after)])
  const { profile } = await storeContext(ctx)
  // Who becomes a member is told of before what they hold.
  const isFirst = ({ name }: Fact) => name === 'member.created'
  await record(
    ctx,
    ...ofMembers.filter(isFirst),
    subscriptionUpdated(after, changesOf(before, after), profile),
    ...ofMembers.filter((fact) => !isFirst(fact))
  )
  await recordActivities(ctx, [
    { ...activityMessages.gifted(before, after), ...actorOf(by), subscriptionId: before.id }
  ])
  return after
}
