import { decimalOf } from '#kit/money'
import type { Shop } from '../shop.ts'
import { type Address, addressIn, countryName } from '../state/addresses.ts'
import type { Customer } from '../state/customers.ts'
import type { Order, OrderLine, ShippingLine } from '../state/orders.ts'
import { appOfSource } from '../state/sales-channels.ts'
import { customerPayload } from './customer-payloads.ts'
import { formsOf, moneySet, number } from './json.ts'

/** The body of every orders topic. The sandbox has no duties and no fulfilment; their fields are zero or empty. */
export function orderPayload(shop: Shop, order: Order, customer: Customer | null, refunds: unknown[] = []) {
  const form = formsOf(shop)
  const { currency } = order
  const set = (amountMinor: number) => moneySet(amountMinor, currency)
  const amount = (amountMinor: number) => decimalOf(amountMinor, currency)
  const shippingAddress = addressPayload(
    order.shippingAddress ?? addressIn(order.country, order.province, customer ?? NOBODY)
  )
  const billingAddress = order.billingAddress ? addressPayload(order.billingAddress) : shippingAddress
  const { shippingLine } = order
  const shippingListMinor = shippingLine?.priceMinor ?? order.shippingMinor
  const linesMinor = order.lines.reduce((sum, line) => sum + line.priceMinor * line.quantity, 0)
  const paidMinor = order.financialStatus === 'pending' ? 0 : order.totalMinor
  return {
    id: number(order.id),
    admin_graphql_api_id: form.gid('Order', order.id),
    app_id: number(appOfSource(order.sourceName).id),
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
    current_total_tax: amount(order.taxMinor),
    current_total_tax_set: set(order.taxMinor),
    customer_locale: 'en',
    device_id: null,
    discount_codes: order.discounts
      .filter((discount) => discount.code !== null)
      .map(({ code, amountMinor, percentage, target }) => ({
        code,
        amount: amount(amountMinor),
        type: target === 'SHIPPING_LINE' ? 'shipping' : percentage === null ? 'fixed_amount' : 'percentage'
      })),
    duties_included: false,
    email: order.email,
    estimated_taxes: false,
    financial_status: order.financialStatus,
    fulfillment_status: null,
    landing_site: null,
    landing_site_ref: null,
    location_id: null,
    merchant_business_entity_id: `entity-${shop.id}`,
    merchant_of_record_app_id: null,
    name: `#${order.number}`,
    note: order.note,
    note_attributes: order.attributes.map(({ name, value }) => ({ name, value })),
    number: order.number - 1000,
    order_number: order.number,
    order_status_url: `https://${shop.domain}/orders/${order.id}`,
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
    tax_lines: taxLines(order, order.taxMinor),
    taxes_included: order.tax?.isIncluded ?? false,
    test: true,
    token: `order-${order.id}`,
    total_cash_rounding_payment_adjustment_set: set(0),
    total_cash_rounding_refund_adjustment_set: set(0),
    total_discounts: amount(order.discountMinor),
    total_discounts_set: set(order.discountMinor),
    total_line_items_price: amount(linesMinor),
    total_line_items_price_set: set(linesMinor),
    total_outstanding: amount(order.totalMinor - paidMinor),
    total_price: amount(order.totalMinor),
    total_price_set: set(order.totalMinor),
    total_shipping_price_set: set(shippingListMinor),
    total_tax: amount(order.taxMinor),
    total_tax_set: set(order.taxMinor),
    total_tip_received: amount(0),
    total_weight: 0,
    updated_at: form.at(order.updatedAt),
    user_id: null,
    billing_address: billingAddress,
    customer: customer && customerPayload(shop, customer),
    discount_applications: order.discounts.map(
      ({ code, title, amountMinor, percentage, isAutomatic, target, isForSome, isPerItem }) => ({
        target_type: target === 'SHIPPING_LINE' ? 'shipping_line' : 'line_item',
        type: code !== null ? 'discount_code' : isAutomatic ? 'automatic' : 'manual',
        value: percentage === null ? amount(amountMinor) : percentText(percentage),
        value_type: percentage === null ? 'fixed_amount' : 'percentage',
        allocation_method: isPerItem ? 'each' : 'across',
        target_selection: isForSome ? 'entitled' : 'all',
        ...(code === null ? { title } : { code })
      })
    ),
    fulfillments: [],
    line_items: order.lines.map((line) => linePayload(shop, order, line)),
    payment_terms: null,
    refunds,
    shipping_address: shippingAddress,
    shipping_lines: shippingLine ? [shippingPayload(order, shippingLine)] : [],
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
    requires_shipping: line.requiresShipping ?? false,
    sales_line_item_group_id: null,
    // The platform has an empty text for none.
    sku: line.sku ?? '',
    taxable: line.taxable ?? false,
    title: line.title,
    total_discount: decimalOf(line.discountMinor, order.currency),
    total_discount_set: moneySet(line.discountMinor, order.currency),
    variant_id: number(line.variantId),
    variant_inventory_management: null,
    variant_title: line.variantTitle,
    vendor: line.vendor ?? null,
    tax_lines: taxLines(order, line.taxMinor ?? 0),
    duties: [],
    discount_allocations: (line.allocations ?? []).map(({ index, amountMinor }) => ({
      amount: decimalOf(amountMinor, order.currency),
      amount_set: moneySet(amountMinor, order.currency),
      discount_application_index: index
    }))
  }
}

const NOBODY = { firstName: null, lastName: null, phone: null }

const percentText = (percentage: number): string =>
  Number.isInteger(percentage) ? `${percentage}.0` : String(percentage)

/** The tax of an order or of one of its lines: one kind of tax, or none. */
function taxLines({ tax, currency }: Order, amountMinor: number) {
  if (!tax || amountMinor === 0) return []
  return [
    {
      channel_liable: false,
      price: decimalOf(amountMinor, currency),
      price_set: moneySet(amountMinor, currency),
      rate: tax.percent / 100,
      title: tax.title
    }
  ]
}

function shippingPayload({ currency, discounts }: Order, { id, title, priceMinor, discountMinor }: ShippingLine) {
  const set = (amountMinor: number) => moneySet(amountMinor, currency)
  return {
    id: number(id),
    carrier_identifier: null,
    code: title,
    current_discounted_price_set: set(priceMinor - discountMinor),
    discounted_price: decimalOf(priceMinor - discountMinor, currency),
    discounted_price_set: set(priceMinor - discountMinor),
    is_removed: false,
    phone: null,
    price: decimalOf(priceMinor, currency),
    price_set: set(priceMinor),
    requested_fulfillment_service_id: null,
    source: 'shopify',
    title,
    tax_lines: [],
    discount_allocations: discounts.flatMap(({ target, amountMinor }, index) =>
      target === 'SHIPPING_LINE' && amountMinor > 0
        ? [
            {
              amount: decimalOf(amountMinor, currency),
              amount_set: set(amountMinor),
              discount_application_index: index
            }
          ]
        : []
    )
  }
}

function addressPayload(address: Address | null) {
  if (!address) return null
  const { firstName, lastName, address1, phone, city, zip, provinceCode, countryCode } = address
  return {
    first_name: firstName,
    address1,
    phone,
    city,
    zip,
    province: provinceCode,
    country: countryName(countryCode),
    last_name: lastName,
    address2: null,
    company: null,
    latitude: null,
    longitude: null,
    name: [firstName, lastName].filter(Boolean).join(' '),
    country_code: countryCode,
    province_code: provinceCode
  }
}
