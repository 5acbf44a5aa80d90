import { applyPlans } from '#billing'
import type { Ctx } from '#kit/postgres'
import {
  enqueueContractPush,
  listGiftsTo,
  lockSubscriptions,
  lockSubscriptionsOfContracts,
  type Subscription
} from '#subscriptions'
import { planCancel, planContextOf, planGift } from '#subscriptions/transitions'

/**
 * Cancels the live subscriptions of contracts (platform numbers) whose customer the platform has deleted. A contract that is
 * still live there is stopped there too. Returns the contracts whose subscriptions ended.
 */
export async function endForDeletedCustomers(ctx: Ctx, contractIds: string[]): Promise<string[]> {
  const live = (await lockSubscriptionsOfContracts(ctx, contractIds)).filter(isLive)
  if (live.length === 0) return []

  const context = await planContextOf(ctx)
  const plans = live.map((s) => planCancel(s, 'customer_deleted', null, context))
  await applyPlans(ctx, plans, 'platform')
  await enqueueContractPush(
    ctx,
    live.map(({ id }) => id)
  )

  return live.map(({ platformContractId }) => platformContractId)
}

/** Gives memberships that were given to deleted customers (platform numbers) back to who pays for them. */
export async function revokeGiftsToDeleted(ctx: Ctx, customerIds: string[]): Promise<void> {
  const gifts = await lockSubscriptions(ctx, await listGiftsTo(ctx, customerIds))
  const context = await planContextOf(ctx)
  for (const subscription of gifts) await applyPlans(ctx, [planGift(subscription, null, context)], 'platform')
}

const isLive = ({ status }: Subscription) => status === 'active' || status === 'paused'
