import type { Ctx } from '#kit/postgres'
import { lockMembers } from '#members'
import { lockSubscriptions, type Subscription } from '#subscriptions'

/** Locks subscriptions, then their customers, as everything does that changes both. Returns the subscriptions; unknown ids are left out. */
export async function lockWithCustomers(ctx: Ctx, ids: number[]): Promise<Subscription[]> {
  const subscriptions = await lockSubscriptions(ctx, ids)
  await lockMembers(
    ctx,
    [...new Set(subscriptions.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  )
  return subscriptions
}
