export { subscriptionActivated } from './events/subscription-activated.ts'
export { subscriptionCreated } from './events/subscription-created.ts'
export { changesOf, subscriptionUpdated } from './events/subscription-updated.ts'
export { giveBackForfeitOf } from './forfeit-credit-job.ts'
export { ACTIVITY_KINDS, ACTORS, type Activity, MAX_NOTE_CHARACTERS } from './history/activity.ts'
export {
  type ActivityMessage,
  type Actor,
  activityMessages,
  actorOf,
  paymentMethodMessage,
  termsMessages,
  termsOf
} from './history/activity-messages.ts'
export { listActivity } from './history/list-activity.ts'
export { type NewActivity, recordActivities } from './history/record-activity.ts'
export { lockSubscription, lockSubscriptions, lockSubscriptionsOfContracts } from './lock-subscriptions.ts'
export { findMemberships } from './membership-status/find-memberships.ts'
export {
  editContractJob,
  enqueueContractPush,
  enqueueContractSync,
  enqueuePushesOfDates,
  pushContractJob,
  syncContractJob
} from './platform-requests.ts'
export { assertPreviewed, previewPlanVersion } from './preview-plan-version.ts'
export { billingFrequency, publicStatus } from './public-fields.ts'
export { findSubscriptionByContract, listContractsOfCustomers, listGiftsTo } from './queries.ts'
export { reassignSubscriptions } from './reassign-subscriptions.ts'
export { subscriptionNotFound } from './refusals.ts'
export { type Change, listChanges, requestersOf } from './requested-changes.ts'
export { billingDate, type Cadence, firstCycleAfter, withInterval } from './schedule/billing-dates.ts'
export {
  chargeMinorOf,
  datesAt,
  hasPaidAll,
  holderOf,
  type PaymentMethod,
  Subscription
} from './subscription.ts'
export { enqueueTimezoneRebase, rebaseNextSubscriptions } from './timezone-rebase-job.ts'
