import { Money } from '../wire/document.ts'
import type { Fields } from '../wire/fields.ts'
import type { OrderDetails } from './order-details.ts'

/** Ids are the digits of global ids, as text. Amounts are minor units of the order's currency. */
export type PlatformOrder = {
  id: string
  /** `#1001` */
  name: string
  /** `1001` */
  number: string
  createdAt: Temporal.Instant
  processedAt: Temporal.Instant
  updatedAt: Temporal.Instant
  cancelledAt: Temporal.Instant | null
  currency: string
  totalMinor: number
  taxMinor: number
  discountMinor: number
  refundedMinor: number
  /** Lower case: paid, pending, partially_refunded, refunded, voided, … */
  financialStatus: string
  customerId: string | null
  email: string | null
  /** The first that is neither store credit nor a gift card, else the first. */
  gateway: string | null
  /** Of the shipping address; of the billing address where nothing is shipped. */
  countryCode: string | null
  province: string | null
  tags: string[]
  discountCodes: string[]
  sourceName: string | null
  /** Fields that the platform withholds from us: their values here mean nothing. Left out: it withholds none. */
  withheld?: readonly OrderField[]
  /** What the order says besides; left out where only the order of a charge or a signup was read. */
  details?: OrderDetails
}

/** The fields of an order that may be withheld by themselves; without one of the others there is no order to record. */
export type OrderField = (typeof WITHHOLDABLE)[number][0]

/** Each with what it is read from. */
const WITHHOLDABLE = [
  ['email', 'email'],
  ['customerId', 'customer'],
  ['countryCode', 'shippingAddress'],
  ['countryCode', 'billingAddress'],
  ['financialStatus', 'displayFinancialStatus'],
  ['taxMinor', 'totalTaxSet'],
  ['discountMinor', 'totalDiscountsSet'],
  ['cancelledAt', 'cancelledAt'],
  ['sourceName', 'sourceName']
] as const

export const OrderParts = `fragment OrderParts on Order {
  id name number createdAt processedAt updatedAt cancelledAt currencyCode displayFinancialStatus
  email sourceName tags discountCodes paymentGatewayNames
  customer { id }
  shippingAddress { countryCodeV2 province }
  billingAddress { countryCodeV2 province }
  totalPriceSet { shopMoney { ${Money} } }
  totalTaxSet { shopMoney { ${Money} } }
  totalDiscountsSet { shopMoney { ${Money} } }
  totalRefundedSet { shopMoney { ${Money} } }
}`

/** Reads OrderParts. */
export function readOrder(order: Fields): PlatformOrder {
  const currency = order.text('currencyCode')
  const maybeTotal = (key: string) => order.maybeAt(key)?.money('shopMoney', currency) ?? 0
  const total = (key: string) => order.atIfAny(key)?.money('shopMoney', currency) ?? 0
  const address = order.maybeAt('shippingAddress') ?? order.maybeAt('billingAddress')
  const name = order.text('name')
  const withheld = WITHHOLDABLE.flatMap(([field, key]) => (order.isWithheld(key) ? field : []))
  return {
    id: order.id('id'),
    name,
    number: String(order.int('number')),
    createdAt: order.instant('createdAt'),
    processedAt: order.instant('processedAt'),
    updatedAt: order.instant('updatedAt'),
    cancelledAt: order.maybeInstant('cancelledAt'),
    currency,
    totalMinor: total('totalPriceSet'),
    taxMinor: maybeTotal('totalTaxSet'),
    discountMinor: maybeTotal('totalDiscountsSet'),
    refundedMinor: total('totalRefundedSet'),
    // The platform gives no payment status for an order that has no payment yet.
    financialStatus: order.maybeText('displayFinancialStatus')?.toLowerCase() ?? 'pending',
    customerId: order.maybeAt('customer')?.id('id') ?? null,
    email: order.maybeText('email'),
    gateway: mainGateway(order.texts('paymentGatewayNames')),
    countryCode: address?.maybeText('countryCodeV2') ?? null,
    province: address?.maybeText('province') ?? null,
    tags: order.texts('tags'),
    discountCodes: order.texts('discountCodes'),
    sourceName: order.maybeText('sourceName'),
    ...(withheld.length > 0 ? { withheld } : {})
  }
}

/** The gateways whose payments are no money: they spend what the customer holds with the store. */
export const CREDIT_GATEWAYS = ['shopify_store_credit', 'gift_card'] as const

export const isCreditGateway = (gateway: string): boolean => CREDIT_GATEWAYS.some((name) => name === gateway)

/** The gateway that an order is shown with. */
export const mainGateway = (gateways: string[]): string | null =>
  gateways.find((gateway) => !isCreditGateway(gateway)) ?? gateways[0] ?? null
