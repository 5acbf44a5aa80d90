export { reassignOrders } from './reassign-orders.ts'
export { type RecordedOrder, recordOrders } from './record-orders.ts'
