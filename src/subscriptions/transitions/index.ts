// The second door of subscriptions, open to billing, lifecycle and contracts only: the table of transitions, the plans, and what
// `contracts` records of a contract. A plan is applied by `applyPlans` of billing.

export { markPaymentMethods, markPushed, markSeen, markTerms, type Pushed, type Terms } from '../contract-queries.ts'
export { subscriptionCancelledAfterFailure } from '../events/subscription-cancelled-after-failure.ts'
export { subscriptionDiscountsChanged } from '../events/subscription-discounts-changed.ts'
export { insertSubscriptions, type NewSubscription } from '../insert-subscriptions.ts'
export { lockPastPaymentMethodDeadline } from '../lock-subscriptions.ts'
export { deriveMembershipStatuses } from '../membership-status/derive-membership-status.ts'
export { assertAllowed } from '../refusals.ts'
export { keptReplacedPrices, mayReplacePrice, pricesReplacedBy } from '../replaced-prices.ts'
export {
  dropChange,
  endChanges,
  endChangesOf,
  endMethodChanges,
  type NewChange,
  writeChanges
} from '../requested-changes.ts'
export { membersFirst } from './apply-transitions.ts'
export { planReactivate, planResume } from './plan-continue.ts'
export { planReschedule, planSkip, rescheduledTo } from './plan-date.ts'
export { planGift } from './plan-gift.ts'
export { PAYMENT_FAILED, planRetriesExhausted } from './plan-retries-exhausted.ts'
export { planCancel, planCancelFailed, planEnd, planPause } from './plan-stop.ts'
export { noChange, type PlanContext, planContextOf, type TransitionPlan } from './transition-plan.ts'
export { decide, hasUnpaidTrial, isDeclined, isFinal, isInBilling, isInTrial, isOver } from './transitions.ts'
