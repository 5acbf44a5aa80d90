import { mainGateway, type PlatformOrder } from '../orders/order.ts'
import {
  giftCardIn,
  nameOf,
  type OrderLine,
  type PlatformDispute,
  type PlatformRefund,
  type PlatformTransaction,
  sumByCode,
  withAutomatic,
  withCurrentTotal,
  withGiftCard,
  withShippingDiscount,
  withTaxIncluded,
  withWhatIsLeft
} from '../orders/order-details.ts'
import { Fields } from '../wire/fields.ts'

/** The body of orders/*: the same order that the connector reads, without selling plans, contracts and the app's name. */
export function parseOrderPayload(payload: unknown): PlatformOrder {
  const order = new Fields(payload, 'order')
  const id = order.exactId('admin_graphql_api_id', 'id')
  const currency = order.text('currency')
  const createdAt = order.instant('created_at')
  const updatedAt = order.instant('updated_at')
  const shipping = order.maybeAt('shipping_address')
  const billing = order.maybeAt('billing_address')
  const address = shipping ?? billing
  const customer = order.maybeAt('customer')
  const firstName = customer?.maybeText('first_name') ?? null
  const lastName = customer?.maybeText('last_name') ?? null
  const refunds = order.maybeList('refunds').map((refund) => readRefund(refund, id, currency))
  const coupons = order.maybeList('discount_codes').map((code) => ({
    code: code.text('code'),
    amountMinor: code.maybeAmount('amount', currency) ?? 0
  }))
  return {
    id,
    name: order.text('name'),
    number: order.digits('order_number'),
    createdAt,
    processedAt: order.maybeInstant('processed_at') ?? createdAt,
    updatedAt,
    cancelledAt: order.maybeInstant('cancelled_at'),
    currency,
    totalMinor: order.amount('total_price', currency),
    taxMinor: order.maybeAmount('total_tax', currency) ?? 0,
    discountMinor: order.maybeAmount('total_discounts', currency) ?? 0,
    refundedMinor: refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    financialStatus: order.maybeText('financial_status')?.toLowerCase() ?? 'pending',
    customerId: customer?.exactId('admin_graphql_api_id', 'id') ?? null,
    email: order.maybeText('email') || null,
    gateway: mainGateway(order.texts('payment_gateway_names')),
    countryCode: address?.maybeText('country_code') ?? null,
    province: address?.maybeText('province') ?? null,
    tags: commaSeparated(order.maybeText('tags')),
    discountCodes: coupons.map(({ code }) => code),
    sourceName: order.maybeText('source_name'),
    details: withCurrentTotal({
      customerName: nameOf([billing?.maybeText('name'), shipping?.maybeText('name')]),
      customer: customer && { firstName, lastName, createdAt: customer.maybeInstant('created_at') },
      subtotalMinor: order.maybeAmount('subtotal_price', currency) ?? 0,
      ...withTaxIncluded(order, 'taxes_included'),
      ...(order.has('current_total_price') && { currentTotalMinor: order.amount('current_total_price', currency) }),
      shippingMinor: shopAmount(order.maybeAt('total_shipping_price_set'), currency) ?? 0,
      ...withShippingDiscount(readShippingAllocations(order, currency)),
      appId: order.has('app_id') ? order.digits('app_id') : null,
      appName: null,
      attributes: order
        .maybeList('note_attributes')
        .map((one) => ({ name: one.text('name'), value: textOf(one.raw('value')) })),
      coupons: sumByCode(coupons),
      ...withAutomatic(readAutomatic(order, currency)),
      lines: order.maybeList('line_items').map((line) => readLine(line, currency)),
      refunds,
      transactions: []
    })
  }
}

function readLine(line: Fields, currency: string): OrderLine {
  return {
    id: line.exactId('admin_graphql_api_id', 'id'),
    productId: line.plainId('product_id'),
    variantId: line.plainId('variant_id'),
    title: line.maybeText('title') ?? '',
    quantity: line.int('quantity'),
    ...withWhatIsLeft(line.int('quantity'), line.maybeInt('current_quantity')),
    ...withGiftCard(line, 'gift_card'),
    priceMinor: line.amount('price', currency),
    discountMinor: line
      .maybeList('discount_allocations')
      .reduce((sum, allocation) => sum + allocation.amount('amount', currency), 0),
    sellingPlanId: null,
    contractId: null
  }
}

const readShippingAllocations = (order: Fields, currency: string): { amountMinor: number }[] =>
  order
    .maybeList('shipping_lines')
    .flatMap((line) => line.maybeList('discount_allocations'))
    .map((allocation) => ({ amountMinor: allocation.amount('amount', currency) }))

/** What automatic discounts took off the lines and the shipping: each allocation names its discount by its place in the list. */
function readAutomatic(order: Fields, currency: string): { title: string; amountMinor: number }[] {
  const applied = order.maybeList('discount_applications')
  const parts = [...order.maybeList('line_items'), ...order.maybeList('shipping_lines')]
  return parts
    .flatMap((part) => part.maybeList('discount_allocations'))
    .flatMap((allocation) => {
      const discount = applied[allocation.int('discount_application_index')]
      const title = discount?.maybeText('type') === 'automatic' ? discount.maybeText('title') : null
      return title ? [{ title, amountMinor: allocation.amount('amount', currency) }] : []
    })
}

/** A refund in a message of its own, and in an order. `amountMinor` is the sum of its successful transactions. */
function readRefund(refund: Fields, orderId: string, currency: string | null): PlatformRefund {
  const transactions = refund.maybeList('transactions').map((one) => readTransaction(one, orderId, currency))
  return {
    id: refund.exactId('admin_graphql_api_id', 'id'),
    orderId,
    amountMinor: transactions
      .filter(({ kind, status }) => kind === 'refund' && status === 'success')
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    refundedAt: refund.maybeInstant('processed_at') ?? refund.instant('created_at'),
    transactions
  }
}

/** `currency` is the order's; a message of its own states that of the transaction. */
function readTransaction(paid: Fields, orderId: string, currency: string | null): PlatformTransaction {
  const shopMoney = paid.maybeAt('amount_set')?.maybeAt('shop_money') ?? null
  const stated = shopMoney?.maybeText('currency_code') ?? currency ?? paid.text('currency')
  return {
    id: paid.exactId('admin_graphql_api_id', 'id'),
    orderId,
    kind: paid.lower('kind'),
    status: paid.lower('status'),
    gateway: paid.maybeText('gateway'),
    amountMinor: (shopMoney ?? paid).amount('amount', stated),
    parentId: paid.plainId('parent_id'),
    giftCardId: giftCardIn(paid.raw('receipt')),
    processedAt: paid.maybeInstant('processed_at') ?? paid.instant('created_at')
  }
}

/**
 * The body of refunds/create. Its amounts are in the shop's currency where it says so, which is the order's. `refund` is null where it
 * names no currency: then only the order says how much was paid back.
 */
export function parseRefundPayload(payload: unknown): { orderId: string; refund: PlatformRefund | null } {
  const refund = new Fields(payload, 'refund')
  const orderId = refund.exactId('admin_graphql_api_order_id', 'order_id')
  const isStated = refund
    .maybeList('transactions')
    .every((one) => one.has('currency') || one.maybeAt('amount_set')?.maybeAt('shop_money')?.has('currency_code'))
  return { orderId, refund: isStated ? readRefund(refund, orderId, null) : null }
}

/** The body of order_transactions/create. */
export function parseTransactionPayload(payload: unknown): PlatformTransaction {
  const transaction = new Fields(payload, 'transaction')
  return readTransaction(transaction, transaction.exactId('admin_graphql_api_order_id', 'order_id'), null)
}

/** The body of disputes/*; null for one that is about no order. */
export function parseDisputePayload(payload: unknown): PlatformDispute | null {
  const dispute = new Fields(payload, 'dispute')
  if (!dispute.has('order_id') && !dispute.has('admin_graphql_api_order_id')) return null
  const currency = dispute.text('currency')
  return {
    id: dispute.exactId('admin_graphql_api_id', 'id'),
    orderId: dispute.exactId('admin_graphql_api_order_id', 'order_id'),
    type: dispute.lower('type'),
    status: dispute.lower('status'),
    reason: dispute.maybeText('reason')?.toLowerCase() ?? null,
    networkReasonCode: dispute.maybeText('network_reason_code'),
    amountMinor: dispute.amount('amount', currency),
    currency,
    initiatedAt: dispute.instant('initiated_at'),
    finalizedAt: dispute.maybeInstant('finalized_on')
  }
}

function shopAmount(set: Fields | null, currency: string): number | null {
  return set?.maybeAt('shop_money')?.maybeAmount('amount', currency) ?? null
}

/** The value of an attribute: text, but apps write numbers and flags too. */
const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

function commaSeparated(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
