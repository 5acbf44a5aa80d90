import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { numberOf } from '#kit/money'
import type { OrderCredit, OrderEffects } from '#order-effects'
import type { OrderWithParts } from '#orders'
import { OrNull, Timestamp } from '#resources'
import { money, textOrNull } from './order-fields.ts'
import { effectsFields, presentEffects } from './present-order-effects.ts'
import { orderExample, orderFields, presentOrderSummary } from './present-order-summary.ts'

export const OrderBody = Type.Object(
  {
    ...orderFields,
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
    ...effectsFields,
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
        ...orderExample,
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

export function presentOrder(
  order: OrderWithParts,
  effects: OrderEffects,
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
    ...presentEffects(effects, storeCurrency),
    is_complete: order.detailsAt !== null
  }
}
