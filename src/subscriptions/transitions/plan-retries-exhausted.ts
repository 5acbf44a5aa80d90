import type { ActivityMessage } from '../history/activity-messages.ts'
import type { Subscription } from '../subscription.ts'
import { planSkip } from './plan-date.ts'
import { planCancel, planEnd, planPause } from './plan-stop.ts'
import type { PlanContext, TransitionPlan } from './transition-plan.ts'

/** What the store wants done with a subscription when retries are exhausted. `skip`: only the cycle is over. */
export type Ending = 'cancel' | 'pause' | 'fail' | 'skip'

/** Why a subscription ended whose charge failed for the last time. */
export const PAYMENT_FAILED = 'payment_failed'

/** The end that the store has chosen for a charge that is not retried any more. */
export function planRetriesExhausted(
  s: Subscription,
  { ending, reason }: { ending: Ending; reason: string },
  context: PlanContext
): TransitionPlan {
  const plan = {
    skip: () => planSkip(s, context),
    pause: () => pausedByDunning(planPause(s, null, context)),
    cancel: () => planCancel(s, reason, null, context),
    fail: () => planEnd(s, 'failed', reason, context)
  }[ending]()
  const exhausted: ActivityMessage = {
    kind: 'retries_exhausted',
    text: `No more retries for cycle ${s.nextCycle}: ${reason.replaceAll('_', ' ')}`,
    refs: { cycle: s.nextCycle, ending, reason }
  }
  return { ...plan, activities: [exhausted, ...plan.activities] }
}

const pausedByDunning = (plan: TransitionPlan): TransitionPlan => ({
  ...plan,
  after: { ...plan.after, pausedByDunning: true }
})
