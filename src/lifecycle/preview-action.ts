import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { isDeclined, type TransitionPlan } from '#subscriptions/transitions'
import { previewCancellation } from './cancel-subscription.ts'
import { previewPause } from './pause-subscription.ts'
import { previewReactivation } from './reactivate-subscription.ts'
import { previewResume } from './resume-subscription.ts'
import { previewSkip } from './skip-cycle.ts'

/** `at`: when a pause ends by itself, or when a resumed subscription is charged next; null for no end, and for the schedule's next date. */
export type Action =
  | { name: 'pause' | 'resume'; at: Temporal.Instant | null }
  | { name: 'skip' | 'cancel' | 'reactivate' }

/** What an action would leave, or why it is refused. */
export type ActionPreview = { refusal: string; after: null } | { refusal: null; after: After }

type After = {
  status: TransitionPlan['after']['status']
  nextBillingAt: Temporal.Instant | null
  /** The cycle that is charged then; null for none. */
  nextCycle: number | null
  /** Whether that cycle was charged before, or due in a pause, and is unpaid. */
  isUnpaidCycle: boolean
  /** Of one that stops: the unpaid cycle that is charged when it goes on another time, as long as its period runs. */
  unpaidCycle: number | null
  /** Of one that stops: the planned try that is not made. */
  droppedTryAt: Temporal.Instant | null
  resumesAt: Temporal.Instant | null
  graceEndsAt: Temporal.Instant | null
}

const WHY = { reason: 'other', comment: null }

/** What an action would do to a subscription as it is now. Refuses an unknown subscription, and a date that is not possible. */
export async function previewAction(ctx: Ctx, id: number, action: Action): Promise<ActionPreview> {
  try {
    return { refusal: null, after: afterOf(await planOf(ctx, id, action)) }
  } catch (err) {
    if (err instanceof Refusal && err.code === 'conflict') return { refusal: err.message, after: null }
    throw err
  }
}

function planOf(ctx: Ctx, id: number, action: Action): Promise<TransitionPlan> {
  switch (action.name) {
    case 'pause':
      return previewPause(ctx, id, action.at)
    case 'resume':
      return previewResume(ctx, id, action.at)
    case 'skip':
      return previewSkip(ctx, id)
    case 'cancel':
      return previewCancellation(ctx, id, WHY)
    case 'reactivate':
      return previewReactivation(ctx, id)
  }
}

function afterOf({ before, after }: TransitionPlan): After {
  const { status, nextBillingAt, resumesAt, graceEndsAt } = after
  const isActive = status === 'active'
  return {
    ...{ status, nextBillingAt, resumesAt, graceEndsAt },
    nextCycle: isActive && nextBillingAt ? after.nextCycle : null,
    isUnpaidCycle: isActive && isDeclined(after),
    unpaidCycle: isActive ? null : after.pastDueCycle,
    droppedTryAt: !isActive && isDeclined(before) ? before.nextBillingAt : null
  }
}
