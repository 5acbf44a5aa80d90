export { type AttemptResult, resultOf } from './attempts/attempt-result.ts'
export { countCharges } from './attempts/count-charges.ts'
export { listFailedAttempts } from './attempts/list-failed-attempts.ts'
export { createBillingEngine } from './billing-engine.ts'
export { checkUnsentNow } from './charging/check-unsent-now.ts'
export { retryAttempt } from './charging/retry-attempt.ts'
export { isCycleHeld } from './dunning/is-cycle-held.ts'
export {
  listContractsAwaitingPaymentMethod,
  retryHeldCharges,
  retryWithNewMethod
} from './dunning/retry-on-payment-method-update.ts'
export { adoptAttempts, listOpenAttempts, listUnknownAttempts } from './settling/adopt-attempts.ts'
export { adoptPayments } from './settling/adopt-payments.ts'
export { issueCheckoutCredits } from './settling/cycle-credits.ts'
export { settleAttempts } from './settling/settle-attempts.ts'
