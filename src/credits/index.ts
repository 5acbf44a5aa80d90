export { type CreditOutcome, changeCredits } from './change-credits.ts'
export {
  API_OPERATION,
  type Credit,
  type CreditChange,
  type CreditEntry,
  type CreditMark,
  type Reservation
} from './credit.ts'
export { expireCredits } from './credit-engine.ts'
export { type Capture, captureReservation, findReservationOf, releaseReservation } from './end-reservation.ts'
export { type CreditAccountTotals, findCredit, findCreditTotals, listAvailableCredit } from './find-credit.ts'
export { type Forfeit, forfeitCredit } from './forfeits/forfeit-credit.ts'
export { giveBackForfeit } from './forfeits/give-back-forfeit.ts'
export { listCreditEntries } from './list-credit-entries.ts'
export {
  planTakeBack,
  type ReversedOrder,
  type TakeBackType,
  type TakenBack,
  undoLast
} from './plan-take-back.ts'
export { type CreditReconciliation, reconcileCredit } from './reconcile-credit.ts'
export { type Redemption, redeemCredit } from './redeem-credit.ts'
export { customerDeleted, noSuchReservation } from './refusals.ts'
export { findReservation } from './reservation-queries.ts'
export { type ReservationOutcome, type ReservationRequest, reserveCredit } from './reserve-credit.ts'
export { type Restoration, restoreCredit } from './restore-credit.ts'
export { markOrderCancelled, takeUncountedEntries } from './reversal-queries.ts'
export { type OrderReversal, settleOrderCredit } from './settle-order-credit.ts'
export { transferCredit } from './transfer-credit.ts'
