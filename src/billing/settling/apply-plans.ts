import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import type { Actor } from '#subscriptions'
import { applyTransitions, reopenCycles } from '#subscriptions/for-billing'
import type { TransitionPlan } from '#subscriptions/transitions'
import { type Attempt, lockPendingAttempts, lockUnsentAttempts } from '../attempts/attempt.ts'
import { clearRetries, markRemaining } from '../attempts/settlement.ts'
import { remainingBeside, remainingWhileOpen } from '../dunning/retry-schedule.ts'
import { dunningSettings } from '../settings.ts'
import { voidAttempts } from './void-attempts.ts'

/**
 * Carries out plans of locked subscriptions in the caller's transaction, on both sides: the agreement changes, and nothing
 * more is charged for what is not active afterwards, nor for a cycle that is skipped. That follows from the agreement, not from
 * what a plan says of its charges. Outside billing there is no other way to stop a subscription, so no caller can leave them behind.
 */
export async function applyPlans(ctx: Ctx, plans: TransitionPlan[], by: Actor): Promise<void> {
  const changes = plans.filter(({ before, after }) => after !== before)
  await applyTransitions(ctx, changes, by)
  const stopped = changes.filter(({ before, after }) => after.status !== 'active' || after.nextCycle > before.nextCycle)
  if (stopped.length > 0) {
    await stopBilling(
      ctx,
      stopped.map(({ after }) => after.id)
    )
  }
  const running = changes.filter(({ before, after }) => after.status === 'active' && before.status !== 'active')
  if (running.length > 0) {
    // An attempt that was sent before the stop may still be open.
    const dunning = await settingsOf(ctx, dunningSettings)
    const byId = new Map(running.map(({ after }) => [after.id, after]))
    const pending = await lockPendingAttempts(ctx, [...byId.keys()])
    const remainingOf = ({ subscriptionId, manual, ladderRetryAt }: Attempt) => {
      const subscription = byId.get(subscriptionId)!
      return manual ? remainingBeside(ladderRetryAt, subscription, dunning) : remainingWhileOpen(subscription, dunning)
    }
    await markRemaining(
      ctx,
      pending.map((attempt) => ({ id: attempt.id, remaining: remainingOf(attempt) }))
    )
  }
}

/**
 * Sends nothing more of what was opened for these subscriptions: unsent attempts end as `voided`, announced retries are
 * cancelled. An attempt that was sent stays pending: only the platform can say how it ends, and no try follows it.
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
