import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { recordOrders } from '#orders'
import { recordActivities, type Subscription } from '#subscriptions'
import { foundMessage } from '../activities.ts'
import {
  type Attempt,
  BESIDE,
  insertOtherPayment,
  listOtherPayments,
  lockAttempt,
  namePayments
} from '../attempts/attempt.ts'
import { type AttemptResult, type Payment, paymentsOf } from '../attempts/attempt-result.ts'
import { failedSettlement } from '../attempts/settlement.ts'
import { billingFailed } from '../events/billing-failed.ts'
import { billingPending } from '../events/billing-pending.ts'
import { applyLateSuccesses } from './apply-late-success.ts'

/**
 * Books payments under keys whose attempt is paid already by another one: the platform had forgotten the key and was sent it again.
 * Each is a charge of its own, so each gets an attempt, and an alert asks for a refund. `locked`: the subscriptions that are locked;
 * payments of others are left for the next report.
 */
export async function recordSecondPayments(
  ctx: Ctx,
  results: AttemptResult[],
  locked: ReadonlyMap<number, Subscription>
): Promise<void> {
  const payments = paymentsOf(results)
  if (payments.length === 0) return
  await namePayments(ctx, payments)
  if (locked.size === 0) return
  for (const { id, platformAttemptId } of await listOtherPayments(ctx, payments)) {
    const attempt = await lockAttempt(ctx, id)
    const subscription = attempt && locked.get(attempt.subscriptionId)
    const payment = payments.find((one) => one.platformAttemptId === platformAttemptId)!
    if (subscription) await addPaymentBeside(ctx, { attempt, subscription }, payment)
  }
}

/**
 * Books a payment of a cycle beside the cycle's attempt that is open or paid, as an attempt that was reported late: if the open one
 * fails, this one has paid the cycle; if it is paid, the customer was charged twice. Both are locked.
 */
export async function addPaymentBeside(
  ctx: Ctx,
  { attempt, subscription }: { attempt: Attempt; subscription: Subscription },
  payment: Payment
): Promise<void> {
  const orders = await recordOrders(ctx, payment.order ? [payment.order] : [])
  const ours = payment.order && orders.get(payment.order.id)
  const beside = await insertOtherPayment(ctx, attempt, payment.platformAttemptId)
  const ended = { ...failedSettlement(beside.id), errorCode: 'superseded', errorMessage: BESIDE }
  const of = { attempt: beside, subscription }
  await record(ctx, billingPending(of), billingFailed(of, ended))
  await recordActivities(ctx, [foundMessage(beside)])
  await applyLateSuccesses(ctx, [
    { attempt: beside, reported: payment, order: ours ? { ours, reported: payment.order! } : null }
  ])
}
