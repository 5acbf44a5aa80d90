import { record } from '#kit/outbox'
import { type Ctx, row, sql, text } from '#kit/postgres'
import { notify, settingsOf, storeContext } from '#stores'
import {
  billingDate,
  chargeMinorOf,
  lockSubscriptionsOfContracts,
  recordActivities,
  type Subscription
} from '#subscriptions'
import { claimNextCycle } from '#subscriptions/for-billing'
import { scheduledMessage } from '../activities.ts'
import { paidMeanwhile, paidOutside } from '../alerts.ts'
import { type Attempt, insertAttempts, lockAttemptOfCycle } from '../attempts/attempt.ts'
import type { AttemptResult, ReportedPayment } from '../attempts/attempt-result.ts'
import { clearRetriesOfCycle } from '../attempts/settlement.ts'
import { remainingWhileOpen } from '../dunning/retry-schedule.ts'
import { billingPending } from '../events/billing-pending.ts'
import { dunningSettings } from '../settings.ts'
import { addPaymentBeside } from './other-payments.ts'
import { settleAttempts } from './settle-attempts.ts'

/**
 * Adopts payments of contracts that no attempt of ours has made: the shop's staff charged a cycle, or we did and have lost our
 * record of it. The platform may take a second payment, so the next cycle that is unpaid counts as paid by it and is not charged.
 * Where that cannot be, an alert reports the payment. A payment that is known changes nothing. Returns how many were adopted.
 */
export async function adoptPayments(ctx: Ctx, results: AttemptResult[]): Promise<number> {
  const payments = await listUnknown(ctx, results)
  if (payments.length === 0) return 0
  // All at once, as everyone locks them.
  await lockSubscriptionsOfContracts(ctx, [...new Set(payments.map(({ of }) => of.contractId))])
  let adopted = 0
  for (const payment of payments) {
    // Read again: the payment before may have been of the same contract.
    const [subscription] = await lockSubscriptionsOfContracts(ctx, [payment.of.contractId])
    if (subscription && (await adopt(ctx, subscription, payment))) adopted++
  }
  return adopted
}

async function adopt(ctx: Ctx, subscription: Subscription, payment: ReportedPayment): Promise<boolean> {
  const { id, nextCycle, status } = subscription
  const { timezone } = await storeContext(ctx)
  const lastPaidAt = billingDate(subscription, nextCycle - 1, timezone)
  const isForNext = Temporal.Instant.compare(payment.of.originAt, lastPaidAt) > 0
  const open = await lockAttemptOfCycle(ctx, id, nextCycle)
  if (status !== 'active' || !isForNext || open?.status === 'success') {
    await notify(ctx, paidOutside(subscription, payment))
    return false
  }
  if (open && open.submittedAt !== null) {
    // Ours may be paid too. If it fails, this one has paid the cycle.
    await addPaymentBeside(ctx, { attempt: open, subscription }, payment)
    await notify(ctx, paidMeanwhile(subscription, payment))
    return false
  }
  const attempt = open ?? (await openAttempt(ctx, subscription))
  await settleAttempts(ctx, [{ ...payment, idempotencyKey: attempt.idempotencyKey }])
  return true
}

/** An attempt for the payment: what was announced for its cycle ends. */
async function openAttempt(ctx: Ctx, subscription: Subscription): Promise<Attempt> {
  const { timezone } = await storeContext(ctx)
  const dunning = await settingsOf(ctx, dunningSettings)
  const [attempt] = await insertAttempts(ctx, [
    {
      subscriptionId: subscription.id,
      platformContractId: subscription.platformContractId,
      cycle: subscription.nextCycle,
      cycleAt: billingDate(subscription, subscription.nextCycle, timezone),
      amountMinor: chargeMinorOf(subscription),
      currency: subscription.currency,
      attemptsRemaining: remainingWhileOpen(subscription, dunning)
    }
  ])
  await clearRetriesOfCycle(ctx, attempt!, { isPaid: true })
  await claimNextCycle(ctx, subscription)
  await record(ctx, billingPending({ attempt: attempt!, subscription }))
  await recordActivities(ctx, [scheduledMessage(attempt!)])
  return attempt!
}

/** The payments of our contracts that no attempt here stands for, oldest first. */
async function listUnknown(ctx: Ctx, results: AttemptResult[]): Promise<ReportedPayment[]> {
  const paid = results
    .flatMap((result) => (result.state === 'success' && result.of && result.platformAttemptId ? [result] : []))
    .map((result) => ({ ...result, of: result.of!, platformAttemptId: result.platformAttemptId! }))
  if (paid.length === 0) return []
  const unknown = await ctx.tx.many(
    row({ id: text }),
    sql`
    select t.id
      from unnest(${paid.map((p) => p.platformAttemptId)}::text[], ${paid.map((p) => p.idempotencyKey)}::text[],
                  ${paid.map((p) => p.of.contractId)}::text[]) as t(id, key, contract)
      join subscriptions s on s.store_id = ${ctx.storeId} and s.platform_contract_id = t.contract
     where not exists (
       select from billing_attempts a
        where a.store_id = ${ctx.storeId} and a.subscription_id = s.id
          and (a.platform_attempt_id = t.id or a.idempotency_key = t.key or a.other_payment_id = t.id) offset 0)`
  )
  const ids = new Set(unknown.map(({ id }) => id))
  return paid
    .filter(({ platformAttemptId }) => ids.has(platformAttemptId))
    .sort((a, b) => Temporal.Instant.compare(a.of.createdAt, b.of.createdAt))
}
