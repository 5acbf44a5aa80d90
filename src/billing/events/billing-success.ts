import { Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { definePublicFact } from '#kit/outbox'
import { gid, type ProfileName } from '#platform'
import { Amount, BillingAttemptBody, exampleOf, OrNull, PaymentMethodBody, SubscriptionBody } from '#resources'
import type { ChargedOrder, Settlement } from '../attempts/settlement.ts'
import { about, amountOf, attemptEvent, base, type Charge } from './attempt-event.ts'

const order = OrNull(
  Type.Object(
    {
      id: Type.String({ description: 'Our id, `ord_174`' }),
      shopify_id: Type.String({ description: "The order's global id on the platform" }),
      order_number: OrNull(Type.String({ description: 'The order number that the customer sees' })),
      total: Amount('The total of the order, in its `currency`'),
      currency: Type.String({ description: 'ISO 4217' })
    },
    { description: 'Null when the platform did not report an order with the result' }
  )
)

/** `charged` is null when the platform's order could not be read along with the result. */
export const billingSuccess = definePublicFact(
  'billing.success',
  attemptEvent(
    'A billing attempt succeeded',
    {
      order,
      payment_method: BillingAttemptBody.properties.payment_method,
      next_billing_date: SubscriptionBody.properties.next_billing_date
    },
    {
      order: {
        id: 'ord_174',
        shopify_id: 'gid://platform/Order/5820982912465',
        order_number: '1004',
        total: 29,
        currency: 'USD'
      },
      payment_method: exampleOf(PaymentMethodBody),
      next_billing_date: '2027-01-15T06:25:00.000Z'
    }
  ),
  (of: Charge, charged: ChargedOrder | null, settled: Settlement, profile: ProfileName) => ({
    ...about(of),
    data: {
      ...base(of),
      order: charged && {
        id: publicId('ord', charged.ours.id),
        shopify_id: gid(profile, 'Order', charged.ours.platformOrderId),
        order_number: charged.ours.number,
        total: numberOf(charged.reported.totalMinor, charged.reported.currency),
        currency: charged.reported.currency
      },
      ...amountOf(of),
      payment_method: settled.paymentMethod && {
        type: settled.paymentMethod.type,
        last_four: settled.paymentMethod.lastFour,
        brand: settled.paymentMethod.brand
      },
      next_billing_date: isoOrNull(of.subscription.nextBillingAt)
    }
  })
)
