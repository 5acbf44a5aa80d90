// Every rule of the auditor, one line each module: `perennial doctor` checks these, and the tables in docs/operations.md
// are made from them. `platform_charges_agree` needs the platform's charges and is in platform-charges.ts.
export { metricsConsistent } from '#analytics/audit-rules'
export {
  activeSubscriptionsScheduled,
  attemptEventsComplete,
  chargedAfterStop,
  chargedTwice,
  chargeReversed,
  chargesHeld,
  chargesNotMissed,
  cycleCreditsIssued,
  cyclesChargedOnce,
  datesOnAnchor,
  outcomesKnown
} from '#billing/audit-rules'
export { churnOffersAnswered, churnOffersHold } from '#churn/audit-rules'
export { contractGrantsFollowed, contractGrantsKept, contractsQuarantined } from '#contracts/audit-rules'
export {
  creditBalancesSum,
  creditCapturesEntered,
  creditEntriesChained,
  creditEventsComplete,
  creditOfMergedCustomers,
  creditRedemptionsCovered,
  creditReservationsConsistent,
  creditReversalsWithin,
  creditShortfallsCollected,
  creditTotalsSum
} from '#credits/audit-rules'
export { creditHidden, ledgerMarksExact } from '#exports/audit-rules'
export {
  couponsPaid,
  couponUsesCounted,
  loyaltyAwardsGiven,
  loyaltyProgressSums,
  loyaltyReferralsRight,
  loyaltySubscriptionRewardsGiven,
  loyaltyTiersFollowRules,
  receiptsCounted
} from '#loyalty/audit-rules'
export { customerMergesFlat, membersCounted, profilesPushed } from '#members/audit-rules'
export {
  contractDiscountsFollowMemberships,
  contractDiscountsKept,
  discountsKept,
  metafieldsWritten,
  perksEnforced,
  tagsFollowMemberships,
  tagsWritten
} from '#mirror/audit-rules'
export {
  firstOrdersRight,
  ordersClassified,
  ordersLinked,
  ordersTakenBack,
  orderTagsFollow,
  orderTiersHeld
} from '#order-effects/audit-rules'
export {
  orderMessagesAgree,
  orderRefundsAddUp,
  ordersAsUsual,
  ordersNotOverRefunded,
  ordersWalked
} from '#orders/audit-rules'
export {
  accessTokenExpires,
  accessTokenRefreshed,
  allOrdersReadable,
  platformMessagesProcessed,
  scopesGranted
} from '#platform/audit-rules'
export {
  pointsBalancesSum,
  pointsEventsComplete,
  pointsLotsSum,
  pointsReversalsFit
} from '#points/audit-rules'
export { erasedStayErased, privacyRequestsOverdue } from '#privacy/audit-rules'
export {
  creditCodesClosed,
  creditCodesReserved,
  creditCodesScheduled,
  creditMirrored,
  discountsRedeemed,
  platformCreditAddsUp,
  platformCreditEntered,
  platformCreditReached,
  redemptionsRestored,
  redemptionsRestoredWithin
} from '#spending/audit-rules'
export { createdEventsComplete, memberStatusConsistent } from '#subscriptions/audit-rules'
export { platformReconciled, restoredStoreOnHold, storeReadIn } from '#sync/audit-rules'
export { listsCounted } from '#views/audit-rules'
export { walletCertificateValid, walletPassesPushed } from '#wallet/audit-rules'
export { deliveriesFinished, deliveriesQueued, eventsCounted, eventsDelivered } from '#webhooks/audit-rules'
export { deadFacts, eventsDispatched, leasesEnd } from './audit-rules.ts'
