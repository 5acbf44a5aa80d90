import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import {
  enqueueContractPush,
  listGiftsTo,
  lockSubscriptions,
  lockSubscriptionsOfContracts,
  type Subscription
} from '#subscriptions'
import { planCancel, planContextOf, planGift, type TransitionPlan } from '#subscriptions/transitions'

/**
 * Cancels the live subscriptions of contracts (platform numbers) whose customer the platform has deleted. A contract that is
 * still live there is stopped there too. Returns the contracts whose subscriptions ended.
 */
export async function endForDeletedCustomers(ctx: Ctx, contractIds: string[]): Promise<string[]> {
  const plans = await previewEndsForDeleted(ctx, contractIds)
  if (plans.length === 0) return []

  await applyPlans(ctx, plans, 'platform')
  await enqueueContractPush(
    ctx,
    plans.map(({ after }) => after.id)
  )

  return plans.map(({ after }) => after.platformContractId)
}

/** What `endForDeletedCustomers` would change. */
export async function previewEndsForDeleted(ctx: Ctx, contractIds: string[]): Promise<TransitionPlan[]> {
  const live = (await lockSubscriptionsOfContracts(ctx, contractIds)).filter(isLive)
  if (live.length === 0) return []

  const context = await planContextOf(ctx)
  return live.map((s) => planCancel(s, 'customer_deleted', null, context))
}

/** Gives memberships that were given to deleted customers (platform numbers) back to who pays for them. */
export async function revokeGiftsToDeleted(ctx: Ctx, customerIds: string[]): Promise<void> {
  for (const plan of await previewRevokedGiftsTo(ctx, customerIds)) await applyPlans(ctx, [plan], 'platform')
}

/** What `revokeGiftsToDeleted` would change. */
export async function previewRevokedGiftsTo(ctx: Ctx, customerIds: string[]): Promise<TransitionPlan[]> {
  const gifts = await lockSubscriptions(ctx, await listGiftsTo(ctx, customerIds))
  const context = await planContextOf(ctx)
  return gifts.map((subscription) => planGift(subscription, null, context))
}

const isLive = ({ status }: Subscription) => status === 'active' || status === 'paused'
