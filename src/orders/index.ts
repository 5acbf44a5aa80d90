export { type RecordedOrder, recordOrders } from './record-orders.ts'
