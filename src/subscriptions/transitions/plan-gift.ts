import { changesOf, subscriptionUpdated } from '../events/subscription-updated.ts'
import { activityMessages } from '../history/activity-messages.ts'
import type { Subscription } from '../subscription.ts'
import type { PlanContext, TransitionPlan } from './transition-plan.ts'

/** Makes another member the holder; null gives the membership back to the contract's customer, who pays in any case. */
export function planGift(s: Subscription, receiverId: number | null, { now, store }: PlanContext): TransitionPlan {
  const after = { ...s, receiverMemberId: receiverId, giftedAt: receiverId === null ? null : now, updatedAt: now }
  return {
    before: s,
    after,
    events: [subscriptionUpdated(after, changesOf(s, after), store.profile)],
    activities: [activityMessages.gifted(s, after)]
  }
}
