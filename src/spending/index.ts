export type { CreditCode } from './codes/code.ts'
export { isCreditCode } from './codes/code-form.ts'
export { findCode, findCodeId, listCodes, reassignCodes, recheckCodes } from './codes/code-queries.ts'
export { noSuchCode, refuseHeldByCode, requestCode, revokeCode } from './codes/request-code.ts'
export {
  type ComparedCredit,
  compareWithPlatform,
  countReconciled,
  endOfLedger,
  reconcileWithPlatform
} from './compare-with-platform.ts'
export { findGiftCard, type SpendingGiftCard } from './find-gift-card.ts'
export { reassignGiftCards } from './platform-account/gift-card-queries.ts'
export { recheckAccounts } from './platform-account/recheck-accounts.ts'
export {
  type CreditDifference,
  type CreditPage,
  type ReadCredit,
  readCreditDifferences
} from './read-credit-differences.ts'
export { applyReportedPayments, refreshAccounts, spendingConsumer } from './refresh-accounts.ts'
export { walkSpendingNow } from './spending-walks.ts'
export { listWays, type SpendingWay } from './ways.ts'
