import type { Shop } from '../shop.ts'
import { addressIn, countryName } from '../state/addresses.ts'
import type { Customer } from '../state/customers.ts'
import type { PaymentMethod } from '../state/payment-methods.ts'
import { formsOf, number } from './json.ts'

/** The body of customers/create, update, enable and disable; also the `customer` of an order. */
export function customerPayload(shop: Shop, customer: Customer) {
  const form = formsOf(shop)
  return {
    id: number(customer.id),
    created_at: form.at(customer.createdAt),
    updated_at: form.at(customer.updatedAt),
    first_name: customer.firstName,
    last_name: customer.lastName,
    state: customer.more.accountState ?? 'disabled',
    note: customer.note,
    verified_email: true,
    multipass_identifier: null,
    tax_exempt: false,
    email: customer.email,
    phone: customer.phone,
    currency: shop.currency,
    addresses: [],
    tax_exemptions: [],
    admin_graphql_api_id: form.gid('Customer', customer.id),
    default_address: addressOf(customer)
  }
}

/** A customer's only address: where somebody in the country could live. */
function addressOf(customer: Customer) {
  const address = addressIn(customer.country, customer.province, customer)
  if (!address) return null
  const country = countryName(address.countryCode)
  return {
    id: number(customer.id),
    customer_id: number(customer.id),
    first_name: customer.firstName,
    last_name: customer.lastName,
    company: null,
    address1: address.address1,
    address2: null,
    city: address.city,
    province: address.provinceCode,
    country,
    zip: address.zip,
    phone: address.phone,
    name: [customer.firstName, customer.lastName].filter(Boolean).join(' '),
    province_code: address.provinceCode,
    country_code: address.countryCode,
    country_name: country,
    default: true
  }
}

/** The body of customer.tags_added and customer.tags_removed, in the platform's newer camelCase style. */
export function customerTagsPayload(shop: Shop, customer: Customer, tags: string[], now: Temporal.Instant) {
  return {
    customerId: formsOf(shop).gid('Customer', customer.id),
    tags,
    occurredAt: now.toString({ smallestUnit: 'millisecond' })
  }
}

/** The body of customer_payment_methods/create, update and revoke. */
export function paymentMethodPayload(shop: Shop, method: PaymentMethod) {
  const form = formsOf(shop)
  return {
    admin_graphql_api_id: form.gid('CustomerPaymentMethod', method.id),
    token: method.id,
    customer_id: number(method.customerId),
    admin_graphql_api_customer_id: form.gid('Customer', method.customerId),
    instrument_type: 'CustomerCreditCard',
    payment_instrument: {
      last_digits: method.lastDigits,
      month: method.expiryMonth,
      year: method.expiryYear,
      name: method.holder,
      brand: method.brand
    },
    resource_type: 'Subscriptions'
  }
}

/** The body of customers/delete, which has only the id. */
export function customerDeletedPayload(shop: Shop, id: string) {
  return { id: number(id), tax_exemptions: [], admin_graphql_api_id: formsOf(shop).gid('Customer', id) }
}

/** The body of customers/merge. */
export function customersMergedPayload(shop: Shop, merged: { keptId: string; deletedId: string }) {
  const form = formsOf(shop)
  return {
    admin_graphql_api_customer_kept_id: form.gid('Customer', merged.keptId),
    admin_graphql_api_customer_deleted_id: form.gid('Customer', merged.deletedId),
    admin_graphql_api_job_id: null,
    status: 'completed',
    errors: []
  }
}

/** The bodies of the three compliance topics. */
export const compliancePayloads = {
  'customers/data_request': (shop: Shop, customer: Customer, orderIds: string[]) => ({
    shop_id: number(shop.id),
    shop_domain: shop.domain,
    customer: { id: number(customer.id), email: customer.email, phone: customer.phone },
    orders_requested: orderIds.map((id) => number(id)),
    data_request: { id: 9999 }
  }),
  'customers/redact': (shop: Shop, customer: Customer, orderIds: string[]) => ({
    shop_id: number(shop.id),
    shop_domain: shop.domain,
    customer: { id: number(customer.id), email: customer.email, phone: customer.phone },
    orders_to_redact: orderIds.map((id) => number(id))
  }),
  'shop/redact': (shop: Shop) => ({ shop_id: number(shop.id), shop_domain: shop.domain })
} as const

export type ComplianceTopic = keyof typeof compliancePayloads
