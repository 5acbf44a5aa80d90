// Every rule of the auditor, one line each module: `perennial doctor` checks these, and the tables in docs/operations.md
// are made from them. `platform_charges_agree` needs the platform's charges and is in platform-charges.ts.
export { metricsConsistent } from '#analytics/rules'
export {
  activeSubscriptionsScheduled,
  attemptEventsComplete,
  chargedAfterStop,
  chargedTwice,
  chargesHeld,
  chargesNotMissed,
  cycleCreditsIssued,
  cyclesChargedOnce,
  datesOnAnchor,
  outcomesKnown
} from '#billing/rules'
export { contractsQuarantined } from '#contracts/rules'
export { creditBalancesSum, creditEntriesChained, creditEventsComplete } from '#credits/rules'
export { profilesPushed } from '#members/rules'
export { platformMessagesProcessed } from '#platform/rules'
export { pointsBalancesSum, pointsEventsComplete } from '#points/rules'
export { createdEventsComplete, memberStatusConsistent } from '#subscriptions/rules'
export { platformReconciled } from '#sync/rules'
export { listsCounted } from '#views/rules'
export { deliveriesFinished, deliveriesQueued, eventsDelivered } from '#webhooks/rules'
export { deadFacts, eventsDispatched, leasesEnd } from './rules.ts'
