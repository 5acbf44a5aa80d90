export { type AfterEdits, afterEdits, type EditableOrder, orderedMinor } from './after-edits.ts'
export { classifyOrder, type OrderClassification, type OrderToClassify } from './classify-order.ts'
export { type Discrepancy, recordDiscrepancies } from './discrepancies.ts'
export { findOrderAndOwner, findOrderId } from './find-order-id.ts'
export { findOrder, listOrders, type OrderSummary, type OrderWithParts } from './find-orders.ts'
export { beginOrders, findBeginning, listPastOrders } from './past-orders.ts'
export { reassignOrders } from './reassign-orders.ts'
export type { RecordedOrder } from './reported/order-queries.ts'
export { recordOrders } from './reported/record-orders.ts'
export { type OrderReports, recordReports } from './reported/record-reports.ts'
export {
  findOrderImport,
  type OrderWalk,
  scheduleOrderWalk,
  startOrderImport,
  walkOrdersNow
} from './walk/order-walks.ts'
export { walkDisputes } from './walk/walk-orders.ts'
