export { applyAttemptResults } from './apply-attempt-results.ts'
export { createBillingEngine } from './billing-engine.ts'
export type { BillingFact } from './events.ts'
export { skipCycle } from './held-cycle.ts'
export { listFailedAttempts } from './list-failed-attempts.ts'
export { retryAttempt } from './retry-attempt.ts'
export {
  listContractsAwaitingPaymentMethod,
  retryHeldCharges,
  retryWithNewMethod
} from './retry-on-payment-method-update.ts'
export { type AttemptResult, settleAttempts } from './settle-attempts.ts'
export { cancelSubscription, pauseSubscription, stopBilling } from './stop-billing.ts'
export { resultOf } from './submit-outcome.ts'
