export { adjustPoints } from './adjust-points.ts'
export { type OrderReversal, settleOrderPoints } from './settle-order-points.ts'
export { transferPoints } from './transfer-points.ts'
