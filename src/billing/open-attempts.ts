import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeFacts } from '#stores'
import { takeDueCycles } from '#subscriptions'
import { insertAttempts } from './attempt.ts'
import { billingPending } from './events.ts'

/** Opens an attempt for each cycle that has fallen due by now, up to `limit`, and tells how many rows it looked at. */
export async function openDueAttempts(ctx: Ctx, limit: number): Promise<number> {
  const { cycles, looked } = await takeDueCycles(ctx, limit)
  if (cycles.length === 0) return looked
  const { dunning } = await storeFacts(ctx)
  const attempts = await insertAttempts(
    ctx,
    cycles.map(({ subscription, cycle }) => ({
      subscriptionId: subscription.id,
      platformContractId: subscription.platformContractId,
      cycle,
      amountMinor: subscription.priceMinor,
      currency: subscription.currency,
      attemptsRemaining: Math.max(dunning.retryAfterDays.length - subscription.declines, 0)
    }))
  )
  const subscriptions = new Map(cycles.map(({ subscription }) => [subscription.id, subscription]))
  await record(
    ctx,
    ...attempts.map((attempt) => billingPending({ attempt, subscription: subscriptions.get(attempt.subscriptionId)! }))
  )
  return looked
}
