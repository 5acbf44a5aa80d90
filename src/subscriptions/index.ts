export { ACTIVITY_KINDS, ACTORS, type Activity, MOST_NOTE_CHARACTERS } from './activity.ts'
export { type Actor, type Line, lineOfPaymentMethod, lines, linesOfTerms, named } from './activity-lines.ts'
export {
  type CycleResult,
  type DeclineCounter,
  giveUpHeldCharges,
  markDueNow,
  PAYMENT_FAILED,
  settleCycles,
  takeDueCycles,
  takeNextCycle
} from './billing-cycles.ts'
export { billingDate, firstCycleAfter, type Rhythm, withInterval } from './billing-dates.ts'
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
export { lookAtContracts, syncContractJob } from './contract-jobs.ts'
export { markTerms, notePaymentMethods, notePushed, noteSeen, type Pushed, type Terms } from './contract-queries.ts'
export { type CycleCredit, issueCheckoutCredits, issueCycleCredits } from './cycle-credits.ts'
export {
  billingFrequency,
  changesOf,
  shownStatus,
  subscriptionActivated,
  subscriptionCreated,
  subscriptionUpdated
} from './events.ts'
export {
  endForDeletedCustomers,
  handOnSubscriptions,
  listContractsOfCustomers,
  takeBackFromDeleted
} from './follow-customers.ts'
export { insertSubscriptions, type NewSubscription } from './insert-subscriptions.ts'
export * as subscriptionJobs from './jobs.ts'
export { listActivity } from './list-activity.ts'
export { lockEndedPauses, lockSubscriptions, lockSubscriptionsOfContracts } from './lock-subscriptions.ts'
export { moveNextOntoClocks, moveTimezone } from './move-timezone.ts'
export { nextDateOf } from './next-date.ts'
export {
  findSubscriptionByContract,
  giveBackCycles,
  lockEndedGraces,
  markGracesOver,
  nextSubscriptionWork
} from './queries.ts'
export { type NewActivity, recordActivities } from './record-activity.ts'
export { mustAllow, subscriptionNotFound } from './refusals.ts'
export { refreshStandings } from './standings.ts'
export { datesAt, hasPaidAll, holderOf, type PaymentMethod, type Subscription } from './subscription.ts'
