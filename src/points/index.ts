export { adjustPoints } from './adjust-points.ts'
export { settleOrderPoints } from './settle-order-points.ts'
export { transferPoints } from './transfer-points.ts'
