import { applyPlans } from '#billing/apply-plans'
import type { Ctx } from '#kit/postgres'
import { type Actor, lockSubscription, type Subscription } from '#subscriptions'
import { assertAllowed, planContextOf, planResume, type TransitionPlan } from '#subscriptions/transitions'
import { assertWithinTrial } from './assert-within-trial.ts'

/**
 * Continues billing at `nextBillingAt`, or at the next date of the schedule when that is null: a day later with a past due
 * cycle, if its period still runs then (docs/decisions/0010). Charges nothing at once by itself. Refuses any status but paused, and a
 * date that would make a trial longer.
 */
export async function resumeSubscription(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant | null,
  by: Actor
): Promise<Subscription> {
  const plan = await previewResume(ctx, id, nextBillingAt)
  await applyPlans(ctx, [plan], by)

  return plan.after
}

/** What `resumeSubscription` would change; refuses what it refuses. */
export async function previewResume(
  ctx: Ctx,
  id: number,
  nextBillingAt: Temporal.Instant | null
): Promise<TransitionPlan> {
  const subscription = await lockSubscription(ctx, id)
  assertAllowed('resume', subscription, ctx.now)
  const context = await planContextOf(ctx)
  if (nextBillingAt) {
    const dueAt = planResume(subscription, null, context).after.nextBillingAt
    assertWithinTrial(subscription, nextBillingAt, { now: ctx.now, dueAt })
  }

  return planResume(subscription, nextBillingAt, context)
}
