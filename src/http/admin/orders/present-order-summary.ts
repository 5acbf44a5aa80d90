import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { OrderCredit } from '#order-effects'
import type { OrderSummary } from '#orders'
import { OrNull, Timestamp } from '#resources'
import { isCreditCode } from '#spending'
import { money, ofLedger, textOrNull } from './order-fields.ts'

export const orderFields = {
  id: Type.String({ description: "The platform's number of the order" }),
  name: Type.String({ description: 'The name that customers see, `#1001`' }),
  customer_id: textOrNull('Who placed it, `cust_7`; null for an order of nobody'),
  customer_name: textOrNull('Of the billing address, else of the shipping address, else of the customer'),
  email: textOrNull('The e-mail address on the order'),
  processed_at: Timestamp('When it was placed'),
  cancelled_at: OrNull(Timestamp('When it was cancelled')),
  financial_status: Type.String({ description: "The platform's word, such as `paid` or `partially_refunded`" }),
  gateway: textOrNull('Which gateway took the payment: the first that is neither store credit nor a gift card'),
  currency: Type.String({ description: 'ISO 4217' }),
  total: money('What it cost as placed; refunds are not subtracted'),
  tax: money('The tax in it'),
  refunded: money('What was paid back'),
  refunded_at: OrNull(Timestamp('When the latest refund was made')),
  paid_with_credit: money('What store credit and gift cards paid of it, less what went back there'),
  credit_used: ofLedger('Store credit of the ledger that was redeemed on it and not restored'),
  credit_deducted: ofLedger('Store credit that its refunds and disputes have taken and not given back'),
  credit_deducted_at: OrNull(Timestamp('When the latest such deduction was made')),
  channel: textOrNull("The name of the app that took it, else the platform's word for the source"),
  brand: textOrNull('The brand: an attribute of the order, else that of the store'),
  country_code: textOrNull('Of the shipping address, else of the billing address'),
  province: textOrNull('Of the same address'),
  discount_codes: Type.Array(Type.String(), { description: 'The codes that were used, those of store credit too' }),
  credit_codes: Type.Array(Type.String(), {
    description:
      'Those of `discount_codes` that Perennial has made to spend store credit; the others are coupons of the shop'
  }),
  dispute_status: textOrNull('Of the newest dispute; null when there is none'),
  updated_at: Timestamp('When something of it changed here, by the clock of the store')
}

/** What `orderFields` of an order look like. */
export const orderExample = {
  id: '5012345678901',
  name: '#1001',
  customer_id: 'cust_7',
  customer_name: 'Ada Adler',
  email: 'ada@example.com',
  processed_at: '2026-11-15T06:25:00.000Z',
  cancelled_at: null,
  financial_status: 'partially_refunded',
  gateway: 'bogus',
  currency: 'EUR',
  total: 40,
  tax: 6.39,
  refunded: 5.5,
  refunded_at: '2026-11-18T10:00:00.000Z',
  paid_with_credit: 10,
  credit_used: 10,
  credit_deducted: 0,
  credit_deducted_at: null,
  channel: 'Online Store',
  brand: null,
  country_code: 'DE',
  province: 'Bavaria',
  discount_codes: ['WELCOME'],
  credit_codes: [],
  dispute_status: null,
  updated_at: '2026-11-18T10:00:01.000Z'
}

export const OrderSummaryBody = Type.Object(orderFields, {
  title: 'OrderSummary',
  description: 'An order of the shop.',
  examples: [orderExample]
})

/** `credit` is undefined for an order without entries of the ledger, which is in the store's currency. */
export function presentOrderSummary(
  order: OrderSummary,
  credit: OrderCredit | undefined,
  storeCurrency: string
): Static<typeof OrderSummaryBody> {
  const amount = (minor: number) => numberOf(minor, order.currency)
  return {
    id: order.platformOrderId,
    name: order.name,
    customer_id: order.memberId === null ? null : publicId('cust', order.memberId),
    customer_name: order.customerName,
    email: order.email,
    processed_at: isoOf(order.processedAt),
    cancelled_at: isoOrNull(order.cancelledAt),
    financial_status: order.financialStatus,
    gateway: order.gateway,
    currency: order.currency,
    total: amount(order.totalMinor),
    tax: amount(order.taxMinor),
    refunded: amount(order.refundedMinor),
    refunded_at: isoOrNull(order.refundedAt),
    paid_with_credit: amount(order.paidWithCreditMinor),
    credit_used: numberOf(credit?.usedMinor ?? 0, storeCurrency),
    credit_deducted: numberOf(credit?.deductedMinor ?? 0, storeCurrency),
    credit_deducted_at: isoOrNull(credit?.deductedAt ?? null),
    channel: order.channel,
    brand: order.brand,
    country_code: order.countryCode,
    province: order.province,
    discount_codes: order.discountCodes,
    credit_codes: order.discountCodes.filter(isCreditCode),
    dispute_status: order.disputeStatus,
    updated_at: isoOf(order.updatedAt)
  }
}
