import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { settingsOf, storeContext } from '#stores'
import { type Actor, billingDate, chargeMinorOf, lockSubscriptions, recordActivities } from '#subscriptions'
import { claimNextCycle } from '#subscriptions/for-billing'
import { retryRequestedMessage } from '../activities.ts'
import {
  type Attempt,
  findSubscriptionOfAttempt,
  insertAttempts,
  lockAttempt,
  lockRivals
} from '../attempts/attempt.ts'
import { clearRetriesOfCycle } from '../attempts/settlement.ts'
import { remainingBeside } from '../dunning/retry-schedule.ts'
import { billingPending } from '../events/billing-pending.ts'
import {
  attemptNotFailed,
  attemptNotFound,
  cycleMissed,
  cycleNotDue,
  cycleNotOpen,
  subscriptionNotLive
} from '../refusals.ts'
import { dunningSettings } from '../settings.ts'

/**
 * Charges the cycle of a failed attempt again on request: a new pending attempt, which the billing engine sends. It does not count
 * in the retry schedule; the announced retry waits for its result. Refuses an attempt that has not failed, a subscription that is
 * not active, and a cycle that is paid, being charged, missed or not due yet: a cycle whose charge was voided by a pause may have
 * another date since (spec 1, Endpoints: retry).
 */
export async function retryAttempt(ctx: Ctx, id: number, by: Actor): Promise<Attempt> {
  const subscriptionId = await findSubscriptionOfAttempt(ctx, id)
  // Subscriptions before attempts, as everyone locks them.
  const [subscription] = subscriptionId === null ? [] : await lockSubscriptions(ctx, [subscriptionId])
  const failed = subscription && (await lockAttempt(ctx, id))
  if (!failed) throw attemptNotFound(id)
  if (failed.status !== 'failed') throw attemptNotFailed(id, failed.status)
  if (subscription.status !== 'active') throw subscriptionNotLive(subscription.id, subscription.status)

  // Under the subscription's lock nobody opens another attempt: this holds without the constraint, and the constraint without it.
  const [rival] = await lockRivals(ctx, [failed])
  if (rival) throw cycleNotOpen(rival)
  // The platform's contract has the next date already: it would take a charge of a missed cycle for that of the next one, which
  // then could not be charged.
  if (failed.cycleIndex < subscription.nextCycle) throw cycleMissed(failed.cycleIndex, subscription)
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
      amountMinor: chargeMinorOf(subscription),
      currency: subscription.currency,
      attemptsRemaining: remainingBeside(subscription.billingDueAt, subscription, dunning),
      manual: true,
      ladderRetryAt: subscription.billingDueAt
    }
  ])
  if (!attempt) throw cycleNotOpen((await lockRivals(ctx, [failed]))[0]!)
  await clearRetriesOfCycle(ctx, attempt, { isPaid: false })
  await claimNextCycle(ctx, subscription)
  await record(ctx, billingPending({ attempt, subscription }))
  await recordActivities(ctx, [retryRequestedMessage(attempt, by)])
  return attempt
}
