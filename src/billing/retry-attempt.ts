import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { settingsOf, storeContext } from '#stores'
import { type Actor, billingDate, claimNextCycle, lockSubscriptions, recordActivities } from '#subscriptions'
import { retryRequestedMessage } from './activities.ts'
import { type Attempt, findSubscriptionOfAttempt, insertAttempts, lockAttempt, lockRivals } from './attempt.ts'
import { attemptsRemainingAfter } from './dunning.ts'
import { billingPending } from './events.ts'
import {
  attemptNotFailed,
  attemptNotFound,
  cycleMissed,
  cycleNotDue,
  cycleNotOpen,
  subscriptionNotLive
} from './refusals.ts'
import { dunningSettings } from './settings.ts'
import { clearRetriesOfCycle } from './settlement.ts'

/**
 * Charges the cycle of a failed attempt once more because somebody asks for it: a new pending attempt, which the billing
 * engine sends. It uses up nothing of the ladder; the announced retry waits for its result. Refuses an attempt that has not failed, a
 * subscription that is not active, and a cycle that is paid, being charged, passed over, or not due yet: one whose charge was
 * called off by a pause may have another date since (spec 1, Endpoints: retry).
 */
export async function retryAttempt(ctx: Ctx, id: number, by: Actor): Promise<Attempt> {
  const subscriptionId = await findSubscriptionOfAttempt(ctx, id)
  // Subscriptions before attempts, as everyone locks them.
  const [subscription] = subscriptionId === null ? [] : await lockSubscriptions(ctx, [subscriptionId])
  const failed = subscription && (await lockAttempt(ctx, id))
  if (!failed) throw attemptNotFound(id)
  if (failed.status !== 'failed') throw attemptNotFailed(id, failed.status)
  if (subscription.status !== 'active') throw subscriptionNotLive(subscription.id, subscription.status)

  // Of a cycle that was passed over the platform has nothing left to pay: its contract bears the next date, and a charge now
  // would be taken for that of the next cycle, which then could not be charged.
  if (failed.cycleIndex < subscription.nextCycle) {
    const isOpen = (await lockRivals(ctx, [failed])).length === 0
    throw isOpen ? cycleMissed(failed.cycleIndex, subscription) : cycleNotOpen(failed.cycleIndex, subscription.id)
  }
  const { timezone } = await storeContext(ctx)
  const dunning = await settingsOf(ctx, dunningSettings)
  const cycleAt = billingDate(subscription, failed.cycleIndex, timezone)
  const isWaiting =
    subscription.billingDueAt === null || subscription.declines > 0 || subscription.inventoryFailures > 0
  if (!isWaiting && Temporal.Instant.compare(cycleAt, ctx.now) > 0) {
    throw cycleNotDue(failed.cycleIndex, subscription.id, cycleAt)
  }
  const [attempt] = await insertAttempts(ctx, [
    {
      subscriptionId: subscription.id,
      platformContractId: subscription.platformContractId,
      cycle: failed.cycleIndex,
      cycleAt,
      amountMinor: subscription.priceMinor,
      currency: subscription.currency,
      attemptsRemaining: attemptsRemainingAfter(subscription.declines, dunning),
      manual: true,
      ladderRetryAt: subscription.billingDueAt
    }
  ])
  if (!attempt) throw cycleNotOpen(failed.cycleIndex, subscription.id)
  await clearRetriesOfCycle(ctx, attempt)
  await claimNextCycle(ctx, subscription)
  await record(ctx, billingPending({ attempt, subscription }))
  await recordActivities(ctx, [retryRequestedMessage(attempt, by)])
  return attempt
}
