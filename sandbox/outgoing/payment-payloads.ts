import { decimalOf } from '#kit/money'
import type { Shop } from '../shop.ts'
import type { Order, Refund, Transaction } from '../state/orders.ts'
import { formsOf, moneySet, number } from './json.ts'
import { linePayload } from './order-payloads.ts'

/** The body of order_transactions/create, and the transactions of a refund. */
export function transactionPayload(shop: Shop, transaction: Transaction, orderNumber: number) {
  const form = formsOf(shop)
  const { card, currency } = transaction
  const settled = { amount: '0.0', currency }
  return {
    id: number(transaction.id),
    order_id: number(transaction.orderId),
    kind: transaction.kind.toLowerCase(),
    gateway: transaction.gateway,
    status: transaction.status.toLowerCase(),
    message: null,
    created_at: form.at(transaction.createdAt),
    test: true,
    authorization: null,
    location_id: null,
    user_id: null,
    parent_id: number(transaction.parentId),
    processed_at: form.at(transaction.createdAt),
    device_id: null,
    error_code: transaction.errorCode?.toLowerCase() ?? null,
    source_name: 'web',
    ...(card && {
      payment_details: {
        credit_card_bin: '424242',
        avs_result_code: null,
        cvv_result_code: null,
        credit_card_number: `•••• •••• •••• ${card.lastDigits}`,
        credit_card_company: card.brand,
        buyer_action_info: null,
        credit_card_name: card.holder,
        credit_card_wallet: null,
        credit_card_expiration_month: card.expiryMonth,
        credit_card_expiration_year: card.expiryYear,
        payment_method_name: card.brand.toLowerCase()
      }
    }),
    receipt: receiptOf(transaction),
    amount: decimalOf(transaction.amountMinor, currency),
    currency,
    payment_id: `#${orderNumber}.1`,
    total_unsettled_set: { presentment_money: settled, shop_money: settled },
    manual_payment_gateway: false,
    amount_rounding: null,
    admin_graphql_api_id: form.gid('OrderTransaction', transaction.id)
  }
}

/** What the payment's provider said; a gift card says which it is. */
export function receiptOf({ paidFrom }: Pick<Transaction, 'paidFrom'>) {
  if (paidFrom === null || !('giftCardId' in paidFrom)) return {}
  return { gift_card_id: number(paidFrom.giftCardId), gift_card_last_characters: paidFrom.lastCharacters }
}

/** The body of refunds/create; it has lines only if the whole order was refunded at once, otherwise an adjustment. */
export function refundPayload(shop: Shop, order: Order, refund: Refund, transactions: Transaction[]) {
  const form = formsOf(shop)
  const whole = refund.amountMinor === order.totalMinor
  const none = moneySet(0, order.currency)
  return {
    id: number(refund.id),
    order_id: number(order.id),
    created_at: form.at(refund.createdAt),
    note: refund.note,
    user_id: null,
    processed_at: form.at(refund.createdAt),
    duties: [],
    total_duties_set: none,
    return: null,
    refund_shipping_lines: [],
    restock: false,
    admin_graphql_api_id: form.gid('Refund', refund.id),
    order_adjustments: whole
      ? []
      : [
          {
            id: number(refund.id),
            order_id: number(order.id),
            refund_id: number(refund.id),
            amount: decimalOf(-refund.amountMinor, order.currency),
            amount_set: moneySet(-refund.amountMinor, order.currency),
            tax_amount: decimalOf(0, order.currency),
            tax_amount_set: none,
            kind: 'refund_discrepancy',
            reason: 'Refund discrepancy'
          }
        ],
    refund_line_items: !whole
      ? []
      : order.lines.map((line) => {
          const subtotalMinor = line.priceMinor * line.quantity - line.discountMinor
          return {
            id: number(line.id),
            quantity: line.quantity,
            line_item_id: number(line.id),
            location_id: null,
            restock_type: 'no_restock',
            subtotal: Number(decimalOf(subtotalMinor, order.currency)),
            total_tax: Number(decimalOf(line.taxMinor ?? 0, order.currency)),
            subtotal_set: moneySet(subtotalMinor, order.currency),
            total_tax_set: moneySet(line.taxMinor ?? 0, order.currency),
            line_item: linePayload(shop, order, line)
          }
        }),
    transactions: transactions.map((transaction) => transactionPayload(shop, transaction, order.number))
  }
}
