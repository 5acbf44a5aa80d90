export { handOnOrders } from './hand-on-orders.ts'
export { type RecordedOrder, recordOrders } from './record-orders.ts'
