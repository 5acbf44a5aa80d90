import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { assertAllowedCountry, listCustomers, lockMembers } from '#members'
import { findPlan, tierOf } from '#plans'
import { type Actor, findMemberships, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, noChange, planContextOf, planGift, type TransitionPlan } from '#subscriptions/transitions'
import { alreadyMember, notGiven, onlyMemberships, receiverNotFound } from './refusals.ts'

/**
 * Gives a membership to another customer, who holds it from now on; the contract's customer goes on paying for it. A gift can be
 * given on to another receiver. Giving it to who holds it already changes nothing.
 */
export async function giftSubscription(ctx: Ctx, id: number, receiverId: number, by: Actor): Promise<Subscription> {
  const plan = await previewGift(ctx, id, receiverId)
  await applyPlans(ctx, [plan], by)

  return plan.after
}

/** What `giftSubscription` would change; refuses what it refuses. */
export async function previewGift(ctx: Ctx, id: number, receiverId: number): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('gift', subscription, ctx.now)
  if (subscription.receiverMemberId === receiverId) return noChange(subscription)
  await assertReceiver(ctx, subscription, receiverId)

  return planGift(subscription, receiverId, await planContextOf(ctx))
}

/** Gives a membership that was given away back to the contract's customer. Refuses one that is no gift. */
export async function revokeGift(ctx: Ctx, id: number, by: Actor): Promise<Subscription> {
  const plan = await previewRevokedGift(ctx, id)
  await applyPlans(ctx, [plan], by)

  return plan.after
}

/** What `revokeGift` would change; refuses what it refuses. */
export async function previewRevokedGift(ctx: Ctx, id: number): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('revoke_gift', subscription, ctx.now)
  if (subscription.receiverMemberId === null) throw notGiven(id)

  return planGift(subscription, null, await planContextOf(ctx))
}

/**
 * Only a membership can be given away, to another customer than the one who pays, from a country that its plan allows, who does not have
 * an active membership of its tier.
 */
async function assertReceiver(
  ctx: Ctx,
  { id, memberId, receiverMemberId, planId }: Subscription,
  receiverId: number
): Promise<void> {
  if (memberId === receiverId) throw invalidField('receiver', 'must be another customer than the one who pays')
  const [receiver] = await listCustomers(ctx, [receiverId])
  if (!receiver) throw receiverNotFound(receiverId)
  const plan = planId === null ? null : await findPlan(ctx, planId)
  if (plan?.type === 'product') throw onlyMemberships(id)
  if (!plan) return
  await assertAllowedCountry(ctx, plan, receiverId, 'receiver')
  // Two gifts to one receiver come one after the other. The holder's row is locked with it, since both statuses are written in this order.
  await lockMembers(ctx, [receiverMemberId ?? memberId, receiverId])
  const tier = tierOf(plan)
  if (tier && (await findMemberships(ctx, receiverId)).activeTiers.includes(tier)) throw alreadyMember(receiverId, tier)
}
