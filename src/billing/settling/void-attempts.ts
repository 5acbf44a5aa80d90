import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { lockSubscriptions } from '#subscriptions'
import type { Attempt } from '../attempts/attempt.ts'
import { failedSettlement, markSettled } from '../attempts/settlement.ts'
import { billingFailed } from '../events/billing-failed.ts'

const REASONS = {
  voided: 'The subscription was stopped before the charge was sent',
  superseded: 'An earlier charge of the cycle turned out to be paid'
} as const

/**
 * Ends attempts that charged nothing as failed: `voided` where nothing was sent, `superseded` where another attempt has paid
 * the cycle. Every billing.pending is followed by an end.
 */
export async function voidAttempts(ctx: Ctx, attempts: Attempt[], code: keyof typeof REASONS): Promise<void> {
  if (attempts.length === 0) return
  const ended = attempts.map((attempt) => ({
    attempt,
    settlement: { ...failedSettlement(attempt.id), errorCode: code, errorMessage: REASONS[code] }
  }))
  await markSettled(
    ctx,
    ended.map(({ settlement }) => settlement)
  )
  const subscriptions = await lockSubscriptions(ctx, [...new Set(attempts.map((a) => a.subscriptionId))])
  const byId = new Map(subscriptions.map((s) => [s.id, s]))
  await record(
    ctx,
    ...ended.map(({ attempt, settlement }) =>
      billingFailed({ attempt, subscription: byId.get(attempt.subscriptionId)! }, settlement)
    )
  )
}
