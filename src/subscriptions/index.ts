export {
  ACTIVITY_KINDS,
  ACTORS,
  type Activity,
  type ActivityKind,
  type ActorName,
  MOST_NOTE_CHARACTERS
} from './activity.ts'
export { type Actor, named } from './activity-lines.ts'
export {
  type CycleResult,
  type DeclineCounter,
  type DueCycle,
  type Ending,
  giveUpHeldCharges,
  markDueNow,
  PAYMENT_FAILED,
  settleCycles,
  takeDueCycles,
  takeNextCycle
} from './billing-cycles.ts'
export { billingDate, type Rhythm } from './billing-dates.ts'
export { type Cancellation, cancelSubscription } from './cancel-subscription.ts'
export { EDIT_CONTRACT } from './changes.ts'
export { editOf, endReady, listReadyChanges, type ReadyChange, refuseChange } from './contract-edits.ts'
export { notePaymentMethods, notePushed, type Pushed } from './contract-queries.ts'
export { putOffContracts, takeUpContracts } from './contracts-put-off.ts'
export { createSubscription } from './create-subscription.ts'
export { FINISH_CREATION, giveUpCreation, listOpenCreations, type OpenCreation } from './creations.ts'
export { type CycleCredit, issueCycleCredits } from './cycle-credits.ts'
export { billingFrequency, shownStatus } from './events.ts'
export {
  endForDeletedCustomers,
  handOnSubscriptions,
  listContractsOfCustomers,
  takeBackFromDeleted
} from './follow-customers.ts'
export { followPlanVersion } from './follow-plan-version.ts'
export { giftSubscription, takeBackGift } from './gift-subscription.ts'
export type { ImportTerms } from './imported-subscription.ts'
export { listActivity } from './list-activity.ts'
export { lockSubscriptions } from './lock-subscriptions.ts'
export {
  findContractsAgain,
  type HeldContract,
  listHeldContracts,
  listLiveContracts,
  missContracts
} from './missing-contracts.ts'
export { MOVE_TIMEZONE, moveNextOntoClocks, moveTimezone } from './move-timezone.ts'
export { PUSH_CONTRACT } from './moves.ts'
export { nextDateOf } from './next-date.ts'
export { noteSubscription } from './note-subscription.ts'
export { pauseSubscription } from './pause-subscription.ts'
export { findSubscriptionByContract, giveBackCycles, nextSubscriptionWork } from './queries.ts'
export { endGraces, reactivateSubscription } from './reactivate-subscription.ts'
export { type NewActivity, recordActivities } from './record-activity.ts'
export { subscriptionNotFound } from './refusals.ts'
export { requestChange, type Wish } from './request-change.ts'
export { rescheduleSubscription } from './reschedule-subscription.ts'
export { resumeEndedPauses, resumeSubscription } from './resume-subscription.ts'
export { skipCycle } from './skip-cycle.ts'
export type { PaymentMethod, Subscription } from './subscription.ts'
export { type Synced, syncContracts } from './sync-contracts.ts'
export type { SubscriptionWish } from './wished-contract.ts'
