import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { settingsOf, storeContext } from '#stores'
import { billingDate, chargeMinorOf, recordActivities } from '#subscriptions'
import { claimDueCycles } from '#subscriptions/for-billing'
import { scheduledMessage } from '../activities.ts'
import { insertAttempts } from '../attempts/attempt.ts'
import { remainingWhileOpen } from '../dunning/retry-schedule.ts'
import { billingPending } from '../events/billing-pending.ts'
import { dunningSettings } from '../settings.ts'

/** Opens an attempt for each cycle that is due by now, up to `limit`. Returns how many subscriptions were due. */
export async function openDueAttempts(ctx: Ctx, limit: number): Promise<number> {
  const { cycles, looked } = await claimDueCycles(ctx, limit)
  if (cycles.length === 0) return looked
  const { timezone } = await storeContext(ctx)
  const dunning = await settingsOf(ctx, dunningSettings)
  const attempts = await insertAttempts(
    ctx,
    cycles.map(({ subscription, cycle }) => ({
      subscriptionId: subscription.id,
      platformContractId: subscription.platformContractId,
      cycle,
      cycleAt: billingDate(subscription, cycle, timezone),
      amountMinor: chargeMinorOf(subscription),
      currency: subscription.currency,
      attemptsRemaining: remainingWhileOpen(subscription, dunning)
    }))
  )
  const subscriptions = new Map(cycles.map(({ subscription }) => [subscription.id, subscription]))
  await record(
    ctx,
    ...attempts.map((attempt) => billingPending({ attempt, subscription: subscriptions.get(attempt.subscriptionId)! }))
  )
  await recordActivities(ctx, attempts.map(scheduledMessage))
  return looked
}
