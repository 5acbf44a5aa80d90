// Every table with data about people, one line each module; `columns.ts` has the columns that never hold any.
export { attemptsHeld } from '#billing/personal-data'
export { contractOffersHeld } from '#churn/personal-data'
export { creationsHeld, grantedContractsHeld, grantsHeld, quarantinedHeld } from '#contracts/personal-data'
export { creditsHeld, reservationsHeld } from '#credits/personal-data'
export { rewardBalancesHeld, rewardPullsHeld } from '#exports/personal-data'
export { identificationCodesHeld } from '#identification/personal-data'
export { importRowsHeld, importsHeld } from '#imports/personal-data'
export { factRetriesHeld, factsHeld, jobsHeld, responsesHeld } from '#kit/personal-data'
export {
  couponsHeld,
  customerTiersHeld,
  grantedTiersHeld,
  loyaltyAwardsHeld,
  loyaltyCountsHeld,
  receiptsHeld,
  referralCodesHeld,
  referralsHeld
} from '#loyalty/personal-data'
export { customerTagsHeld, membersHeld } from '#members/personal-data'
export {
  contractDiscountsHeld,
  knownMetafieldsHeld,
  knownTagsHeld,
  metafieldOwnersHeld,
  metafieldStoresHeld,
  tagOwnersHeld,
  tagWalksHeld
} from '#mirror/personal-data'
export { discrepanciesHeld, ordersHeld, orderWalksHeld } from '#orders/personal-data'
export { inboundHeld } from '#platform/personal-data'
export { pointsHeld } from '#points/personal-data'
export { codesHeld, giftCardsHeld, platformCreditHeld, spendingAccountsHeld } from '#spending/personal-data'
export { alertsHeld } from '#stores/personal-data'
export { activitiesHeld, requestedChangesHeld, subscriptionsHeld } from '#subscriptions/personal-data'
export { readInsHeld, reconciliationsHeld } from '#sync/personal-data'
export { walletPassesHeld, walletRegistrationsHeld } from '#wallet/personal-data'
export { deliveriesHeld, triesHeld } from '#webhooks/personal-data'
export { privacyExportsHeld, privacyRequestsHeld } from './own-tables.ts'
