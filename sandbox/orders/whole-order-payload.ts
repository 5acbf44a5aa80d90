import type { Queries } from '#kit/postgres'
import { orderPayload } from '../outgoing/order-payloads.ts'
import { refundPayload } from '../outgoing/payment-payloads.ts'
import type { Shop } from '../shop.ts'
import { findCustomer } from '../state/customers.ts'
import { listRefunds, listTransactions, type Order } from '../state/orders.ts'

/** The body of an orders topic for an order that has a past: with every refund so far. */
export async function wholeOrderPayload(q: Queries, shop: Shop, order: Order) {
  const customer = order.customerId === null ? null : await findCustomer(q, shop.storeId, order.customerId)
  const refunds = order.refundedMinor === 0 ? [] : await listRefunds(q, shop.storeId, [order.id])
  const transactions = refunds.length === 0 ? [] : await listTransactions(q, shop.storeId, [order.id])
  return orderPayload(
    shop,
    order,
    customer,
    refunds.map((refund) =>
      refundPayload(
        shop,
        order,
        refund,
        transactions.filter(({ refundId }) => refundId === refund.id)
      )
    )
  )
}
