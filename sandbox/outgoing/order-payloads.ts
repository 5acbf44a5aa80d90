import { decimalOf } from '#kit/money'
import type { Shop } from '../shop.ts'
import type { Customer } from '../state/customers.ts'
import type { Order, OrderLine } from '../state/orders.ts'
import { customerPayload } from './customer-payloads.ts'
import { formsOf, moneySet, number } from './json.ts'

/** The body of every orders topic. The sandbox has no tax, duties or fulfilment; their fields are zero or empty. */
export function orderPayload(shop: Shop, order: Order, customer: Customer | null, refunds: unknown[] = []) {
  const form = formsOf(shop)
  const { currency } = order
  const set = (amountMinor: number) => moneySet(amountMinor, currency)
  const amount = (amountMinor: number) => decimalOf(amountMinor, currency)
  const address = addressOf(order, customer)
  const linesMinor = order.lines.reduce((sum, line) => sum + line.priceMinor * line.quantity, 0)
  const paidMinor = order.financialStatus === 'pending' ? 0 : order.totalMinor
  return {
    id: number(order.id),
    admin_graphql_api_id: form.gid('Order', order.id),
    app_id: null,
    browser_ip: null,
    buyer_accepts_marketing: false,
    cancel_reason: order.cancelReason,
    cancelled_at: form.atOrNull(order.cancelledAt),
    cart_token: null,
    checkout_token: null,
    client_details: null,
    closed_at: null,
    confirmation_number: null,
    confirmed: true,
    contact_email: order.email,
    created_at: form.at(order.createdAt),
    currency,
    current_shipping_price_set: set(order.shippingMinor),
    current_subtotal_price: amount(order.subtotalMinor),
    current_subtotal_price_set: set(order.subtotalMinor),
    current_total_additional_fees_set: null,
    current_total_discounts: amount(order.discountMinor),
    current_total_discounts_set: set(order.discountMinor),
    current_total_duties_set: null,
    current_total_price: amount(order.totalMinor - order.refundedMinor),
    current_total_price_set: set(order.totalMinor - order.refundedMinor),
    current_total_tax: amount(0),
    current_total_tax_set: set(0),
    customer_locale: 'en',
    device_id: null,
    discount_codes: order.discounts
      .filter((discount) => discount.code !== null)
      .map(({ code, amountMinor, percentage }) => ({
        code,
        amount: amount(amountMinor),
        type: percentage === null ? 'fixed_amount' : 'percentage'
      })),
    duties_included: false,
    email: order.email,
    estimated_taxes: false,
    financial_status: order.financialStatus,
    fulfillment_status: null,
    landing_site: null,
    landing_site_ref: null,
    location_id: null,
    merchant_business_entity_id: null,
    merchant_of_record_app_id: null,
    name: `#${order.number}`,
    note: order.note,
    note_attributes: [],
    number: order.number - 1000,
    order_number: order.number,
    order_status_url: null,
    original_total_additional_fees_set: null,
    original_total_duties_set: null,
    payment_gateway_names: order.gateways,
    phone: null,
    po_number: null,
    presentment_currency: currency,
    processed_at: form.at(order.processedAt),
    reference: null,
    referring_site: null,
    source_identifier: null,
    source_name: order.sourceName,
    source_url: null,
    subtotal_price: amount(order.subtotalMinor),
    subtotal_price_set: set(order.subtotalMinor),
    tags: order.tags.join(', '),
    tax_exempt: false,
    tax_lines: [],
    taxes_included: false,
    test: true,
    token: null,
    total_cash_rounding_payment_adjustment_set: set(0),
    total_cash_rounding_refund_adjustment_set: set(0),
    total_discounts: amount(order.discountMinor),
    total_discounts_set: set(order.discountMinor),
    total_line_items_price: amount(linesMinor),
    total_line_items_price_set: set(linesMinor),
    total_outstanding: amount(order.totalMinor - paidMinor),
    total_price: amount(order.totalMinor),
    total_price_set: set(order.totalMinor),
    total_shipping_price_set: set(order.shippingMinor),
    total_tax: amount(0),
    total_tax_set: set(0),
    total_tip_received: amount(0),
    total_weight: 0,
    updated_at: form.at(order.updatedAt),
    user_id: null,
    billing_address: address,
    customer: customer && customerPayload(shop, customer),
    discount_applications: order.discounts.map(({ code, title, amountMinor, percentage }) => ({
      target_type: 'line_item',
      type: code === null ? 'manual' : 'discount_code',
      value: percentage === null ? amount(amountMinor) : `${percentage}.0`,
      value_type: percentage === null ? 'fixed_amount' : 'percentage',
      allocation_method: 'across',
      target_selection: 'all',
      ...(code === null ? { title } : { code })
    })),
    fulfillments: [],
    line_items: order.lines.map((line) => linePayload(shop, order, line)),
    payment_terms: null,
    refunds,
    shipping_address: address,
    shipping_lines: [],
    returns: [],
    line_item_groups: []
  }
}

/** A line in the bodies of orders and refunds. */
export function linePayload(shop: Shop, order: Order, line: OrderLine) {
  const form = formsOf(shop)
  return {
    id: number(line.id),
    admin_graphql_api_id: form.gid('LineItem', line.id),
    attributed_staffs: [],
    current_quantity: line.quantity,
    fulfillable_quantity: line.quantity,
    fulfillment_service: 'manual',
    fulfillment_status: null,
    gift_card: false,
    grams: 0,
    name: line.variantTitle ? `${line.title} - ${line.variantTitle}` : line.title,
    price: decimalOf(line.priceMinor, order.currency),
    price_set: moneySet(line.priceMinor, order.currency),
    product_exists: line.productId !== null,
    product_id: number(line.productId),
    properties: [],
    quantity: line.quantity,
    requires_shipping: false,
    sales_line_item_group_id: null,
    sku: line.sku,
    taxable: false,
    title: line.title,
    total_discount: decimalOf(line.discountMinor, order.currency),
    total_discount_set: moneySet(line.discountMinor, order.currency),
    variant_id: number(line.variantId),
    variant_inventory_management: null,
    variant_title: line.variantTitle,
    vendor: null,
    tax_lines: [],
    duties: [],
    discount_allocations: []
  }
}

function addressOf(order: Order, customer: Customer | null) {
  if (!order.country) return null
  const [firstName, lastName] = [customer?.firstName ?? null, customer?.lastName ?? null]
  return {
    first_name: firstName,
    address1: null,
    phone: null,
    city: null,
    zip: null,
    province: order.province,
    country: order.country,
    last_name: lastName,
    address2: null,
    company: null,
    latitude: null,
    longitude: null,
    name: [firstName, lastName].filter(Boolean).join(' '),
    country_code: order.country,
    province_code: order.province
  }
}
