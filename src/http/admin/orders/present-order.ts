import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { OrderCredit, OrderEffects } from '#order-effects'
import type { OrderSummary, OrderWithParts } from '#orders'
import { OrNull, Timestamp } from '#resources'
import { isCreditCode } from '#spending'

const money = (description: string) => Type.Number({ description: `${description}, in \`currency\`` })
const ofLedger = (description: string) => Type.Number({ description: `${description}, in the store's currency` })
const textOrNull = (description: string) => OrNull(Type.String({ description }))

const fields = {
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

const example = {
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

export const OrderSummaryBody = Type.Object(fields, {
  title: 'OrderSummary',
  description: 'An order of the shop.',
  examples: [example]
})

export const OrderBody = Type.Object(
  {
    ...fields,
    subtotal: OrNull(money('The lines after their discounts')),
    shipping: OrNull(money('What the delivery cost, after its discounts')),
    shipping_discount: OrNull(money('What discounts took off the delivery; null where nobody has said so')),
    discount: money('What all discounts took off, that of the delivery too'),
    app_id: textOrNull("The platform's number of the app that took it"),
    tags: Type.Array(Type.String(), { description: 'Its tags on the platform' }),
    coupons: Type.Array(
      Type.Object({ code: Type.String({ description: 'The code' }), amount: money('What it took off') }),
      { description: 'The codes, each with what it took off' }
    ),
    attributes: Type.Array(
      Type.Object({ name: Type.String({ description: 'Its name' }), value: Type.String({ description: 'Its value' }) }),
      { description: 'What the shop noted on it' }
    ),
    lines: Type.Array(
      Type.Object({
        title: Type.String({ description: 'What was bought' }),
        product_id: textOrNull("The platform's number of the product"),
        variant_id: textOrNull("The platform's number of the variant"),
        quantity: Type.Integer({ description: 'How many' }),
        price: money('The price of one'),
        discount: money('What discounts took off all of them'),
        selling_plan_id: textOrNull("The platform's number of the selling plan, where it was read"),
        contract_id: textOrNull("The platform's number of the subscription contract, where it was read")
      }),
      { description: 'Its lines' }
    ),
    refunds: Type.Array(
      Type.Object({
        id: Type.String({ description: "The platform's number of the refund" }),
        amount: money('What was paid back'),
        refunded_at: Timestamp('When')
      }),
      { description: 'Its refunds, oldest first' }
    ),
    transactions: Type.Array(
      Type.Object({
        id: Type.String({ description: "The platform's number of the transaction" }),
        kind: Type.String({ description: '`sale`, `authorization`, `capture`, `refund`, `void`' }),
        status: Type.String({ description: '`success`, `failure`, `pending`, `error`' }),
        gateway: textOrNull('Where the money came from or went'),
        amount: money('How much'),
        processed_at: Timestamp('When')
      }),
      { description: 'Its movements of money, oldest first' }
    ),
    disputes: Type.Array(
      Type.Object({
        id: Type.String({ description: "The platform's number of the dispute" }),
        began_as: Type.String({ description: '`chargeback` or `inquiry`' }),
        type: Type.String({ description: 'What it is now' }),
        status: Type.String({
          description: '`needs_response`, `under_review`, `won`, `lost`, `accepted` or `prevented`'
        }),
        reason: textOrNull('Why, in the word of the platform'),
        initiated_at: Timestamp('When it began'),
        updated_at: Timestamp('When the platform reported its present state'),
        finalized_at: OrNull(Timestamp('When it ended'))
      }),
      { description: 'Its disputes, inquiries included, oldest first' }
    ),
    classification: OrNull(
      Type.Object(
        {
          checkout_type: textOrNull('`VIP`, `Product Subscription` or `PAYG`; null while it waits'),
          order_tag: textOrNull(
            '`New-vip`, `recharge`, `trial fee`, `New-SubsProd` or `SubsProd-Recharge`; empty for any other order, null while it waits'
          ),
          charge_number: OrNull(
            Type.Integer({ description: "It is the contract's n-th order; null without a contract" })
          ),
          autocharge_status: textOrNull('`Dispute`, `refunded`, `voided` or empty; null while it waits'),
          waits_until: OrNull(Timestamp('Until when it waits for its contract; null when it does not')),
          tags: Type.Array(Type.String(), { description: 'The tags that Perennial keeps on it on the platform' })
        },
        { description: 'What kind of order it was; null while nobody has looked at it' }
      )
    ),
    subscriptions: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The subscription, `sub_7`' }),
        billing_attempt_id: textOrNull('The charge that it was placed for, `ba_154`; null for a checkout'),
        part: Type.String({ description: '`trial` or `signup` of the checkout that began it, or `renewal`' }),
        order_number: Type.Integer({ description: "It is the subscription's n-th order" })
      }),
      { description: 'The subscriptions that it belongs to' }
    ),
    ledger: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The entry: `sct_8` of store credit, `8` of points' }),
        of: Type.String({ description: '`credit` or `points`' }),
        customer_id: Type.String({ description: 'Whose account, `cust_7`' }),
        amount: Type.Number({
          description: "Points, or store credit in the store's currency; negative when it was deducted"
        }),
        shortfall: Type.Number({ description: 'What could not be deducted since the balance was too small' }),
        reverses: textOrNull('The entry that it takes back or restores'),
        reason: Type.String({ description: 'Why' }),
        created_at: Timestamp('When')
      }),
      {
        description:
          'What it issued and used of store credit and points, and what was taken back or restored, oldest first'
      }
    ),
    is_complete: Type.Boolean({
      description:
        'Whether the order was reported by itself; until then only its totals are known, from a charge or a signup'
    })
  },
  {
    title: 'Order',
    description: 'An order of the shop with everything that is known about it.',
    examples: [
      {
        ...example,
        subtotal: 35,
        shipping: 5,
        shipping_discount: 0,
        discount: 5,
        app_id: '580111',
        tags: [],
        coupons: [{ code: 'WELCOME', amount: 5 }],
        attributes: [{ name: 'deliverySchedule', value: 'weekly' }],
        lines: [
          {
            title: 'Coffee',
            product_id: '7880321196763',
            variant_id: '44831562142851',
            quantity: 2,
            price: 20,
            discount: 5,
            selling_plan_id: null,
            contract_id: null
          }
        ],
        refunds: [{ id: '890088186047', amount: 5.5, refunded_at: '2026-11-18T10:00:00.000Z' }],
        transactions: [
          {
            id: '389404469',
            kind: 'sale',
            status: 'success',
            gateway: 'bogus',
            amount: 30,
            processed_at: '2026-11-15T06:25:00.000Z'
          }
        ],
        disputes: [],
        classification: {
          checkout_type: 'PAYG',
          order_tag: '',
          charge_number: null,
          autocharge_status: '',
          waits_until: null,
          tags: ['deliverySchedule: weekly']
        },
        subscriptions: [],
        ledger: [],
        is_complete: true
      }
    ]
  }
)

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

export function presentOrder(
  order: OrderWithParts,
  { kind, links, entries }: OrderEffects,
  credit: OrderCredit | undefined,
  storeCurrency: string
): Static<typeof OrderBody> {
  const amount = (minor: number) => numberOf(minor, order.currency)
  return {
    ...presentOrderSummary(order, credit, storeCurrency),
    subtotal: order.subtotalMinor === null ? null : amount(order.subtotalMinor),
    shipping: order.shippingMinor === null ? null : amount(order.shippingMinor - (order.shippingDiscountMinor ?? 0)),
    shipping_discount: order.shippingDiscountMinor === null ? null : amount(order.shippingDiscountMinor),
    discount: amount(order.discountMinor),
    app_id: order.appId,
    tags: order.tags,
    coupons: (order.coupons ?? []).map(({ code, amountMinor }) => ({ code, amount: amount(amountMinor) })),
    attributes: (order.attributes ?? []).map(({ name, value }) => ({ name, value })),
    lines: (order.lines ?? []).map((line) => ({
      title: line.title,
      product_id: line.productId,
      variant_id: line.variantId,
      quantity: line.quantity,
      price: amount(line.priceMinor),
      discount: amount(line.discountMinor),
      selling_plan_id: line.sellingPlanId,
      contract_id: line.contractId
    })),
    refunds: order.refunds.map((refund) => ({
      id: refund.platformRefundId,
      amount: amount(refund.amountMinor),
      refunded_at: isoOf(refund.refundedAt)
    })),
    transactions: order.transactions.map((one) => ({
      id: one.platformTransactionId,
      kind: one.kind,
      status: one.status,
      gateway: one.gateway,
      amount: amount(one.amountMinor),
      processed_at: isoOf(one.processedAt)
    })),
    disputes: order.disputes.map((dispute) => ({
      id: dispute.platformDisputeId,
      began_as: dispute.beganAs,
      type: dispute.type,
      status: dispute.status,
      reason: dispute.reason,
      initiated_at: isoOf(dispute.initiatedAt),
      updated_at: isoOf(dispute.reportedAt),
      finalized_at: isoOrNull(dispute.finalizedAt)
    })),
    classification: kind && {
      checkout_type: kind.checkoutType,
      order_tag: kind.orderTag,
      charge_number: kind.chargeNumber,
      autocharge_status: kind.autochargeStatus,
      waits_until: isoOrNull(kind.waitsUntil),
      tags: kind.wantedTags
    },
    subscriptions: links.map((link) => ({
      id: publicId('sub', link.subscriptionId),
      billing_attempt_id: link.attemptId === null ? null : publicId('ba', link.attemptId),
      part: link.part,
      order_number: link.orderNumber
    })),
    ledger: entries.map((entry) => {
      const of = (value: number) => (entry.ledger === 'credit' ? numberOf(value, storeCurrency) : value)
      const idOf = (id: number) => (entry.ledger === 'credit' ? publicId('sct', id) : String(id))
      return {
        id: idOf(entry.id),
        of: entry.ledger,
        customer_id: publicId('cust', entry.memberId),
        amount: of(entry.amount),
        shortfall: of(entry.shortfall),
        reverses: entry.reversesId === null ? null : idOf(entry.reversesId),
        reason: entry.reason,
        created_at: isoOf(entry.createdAt)
      }
    }),
    is_complete: order.detailsAt !== null
  }
}
