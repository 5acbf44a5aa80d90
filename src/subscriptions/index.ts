export { ACTIVITY_KINDS, ACTORS, type Activity, MAX_NOTE_CHARACTERS } from './activity.ts'
export {
  type ActivityMessage,
  type Actor,
  activityMessages,
  actorOf,
  paymentMethodMessage,
  termsMessages
} from './activity-messages.ts'
export {
  type CycleResult,
  claimDueCycles,
  claimNextCycle,
  type DeclineCounter,
  endChargesPastDeadline,
  markDueNow,
  PAYMENT_FAILED,
  settleCycles
} from './billing-cycles.ts'
export { billingDate, type Cadence, firstCycleAfter, withInterval } from './billing-dates.ts'
export {
  askersOf,
  type Change,
  dropChange,
  editContractJob,
  editWaitingContracts,
  endChanges,
  endChangesOf,
  endMethodChanges,
  listChanges,
  type NewChange,
  writeChanges
} from './changes.ts'
export { enqueueContractSync, syncContractJob } from './contract-jobs.ts'
export { markPaymentMethods, markPushed, markSeen, markTerms, type Pushed, type Terms } from './contract-queries.ts'
export {
  endForDeletedCustomers,
  listContractsOfCustomers,
  reassignSubscriptions,
  revokeGiftsToDeleted
} from './customer-changes.ts'
export { type CycleCredit, issueCheckoutCredits, issueCycleCredits } from './cycle-credits.ts'
export {
  billingFrequency,
  changesOf,
  publicStatus,
  type SubscriptionFact,
  subscriptionActivated,
  subscriptionCreated,
  subscriptionUpdated
} from './events.ts'
export { insertSubscriptions, type NewSubscription } from './insert-subscriptions.ts'
export * as subscriptionJobs from './jobs.ts'
export { listActivity } from './list-activity.ts'
export { lockEndedPauses, lockSubscriptions, lockSubscriptionsOfContracts } from './lock-subscriptions.ts'
export { refreshMembershipStatuses } from './membership-status.ts'
export { nextDateOf } from './next-date.ts'
export {
  findSubscriptionByContract,
  lockEndedGraces,
  markGracesOver,
  nextSubscriptionWork,
  reopenCycles
} from './queries.ts'
export { type NewActivity, recordActivities } from './record-activity.ts'
export { assertAllowed, subscriptionNotFound } from './refusals.ts'
export { datesAt, hasPaidAll, holderOf, type PaymentMethod, type Subscription } from './subscription.ts'
export { enqueueTimezoneRebase, rebaseNextSubscriptions } from './timezone-rebase-job.ts'
