import type { Ctx } from '#kit/postgres'
import type { Actor } from '#subscriptions'
import { applyTransitions, reopenCycles } from '#subscriptions/for-billing'
import type { TransitionPlan } from '#subscriptions/transitions'
import { lockUnsentAttempts } from '../attempts/attempt.ts'
import { clearRetries } from '../attempts/settlement.ts'
import { voidAttempts } from './void-attempts.ts'

/**
 * Carries out plans of locked subscriptions in the caller's transaction, on both sides: the agreement changes, and nothing more
 * is charged for what a plan stops. There is no other way to stop a subscription, so no caller can leave its charges behind.
 */
export async function applyPlans(ctx: Ctx, plans: TransitionPlan[], by: Actor): Promise<void> {
  await applyTransitions(ctx, plans, by)
  const stopped = plans.filter(({ stopsBilling }) => stopsBilling)
  if (stopped.length > 0) {
    await stopBilling(
      ctx,
      stopped.map(({ before }) => before.id)
    )
  }
}

/**
 * Sends nothing more for stopped subscriptions: unsent attempts end as `voided`, announced retries are cancelled. An attempt
 * that was sent stays pending: only the platform can say how it ends.
 */
async function stopBilling(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  await clearRetries(ctx, subscriptionIds)
  const unsent = await lockUnsentAttempts(ctx, subscriptionIds)
  if (unsent.length === 0) return

  await voidAttempts(ctx, unsent, 'voided')
  const first = unsent.filter(({ attemptNumber }) => attemptNumber === 1)
  await reopenCycles(
    ctx,
    first.map(({ subscriptionId, cycleIndex }) => ({ id: subscriptionId, cycle: cycleIndex }))
  )
}
