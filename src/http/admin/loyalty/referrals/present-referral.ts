import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { REFERRAL_STATUSES, type Referral } from '#loyalty'
import { OrNull, Timestamp } from '#resources'
import { oneOf } from '../../fields.ts'

export const ReferralBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: oneOf(REFERRAL_STATUSES, {
      meaning:
        '`checking` until the addresses of both are compared; `counted` while a rule rewards it; `not_counted`, such as an order that is not paid; `refused`'
    }),
    reason: OrNull(
      Type.String({
        description:
          'Why it is refused: `same_customer`, `same_email`, `same_address`, `not_new` (it is not the first order) or `referrer_gone`'
      })
    ),
    referrer_id: Type.String({ description: 'The customer whose code it is' }),
    friend_id: Type.String({ description: 'The customer who has ordered with it' }),
    order_id: Type.String({ description: 'The order' }),
    order_name: Type.String({ description: 'Its name' }),
    code: Type.String({ description: 'The code' }),
    ordered_at: Timestamp('When the friend has ordered'),
    updated_at: Timestamp('When the referral last changed')
  },
  {
    title: 'LoyaltyReferral',
    description: 'An order with the referral code of a customer.',
    examples: [
      {
        id: 5,
        status: 'counted',
        reason: null,
        referrer_id: 'cust_24',
        friend_id: 'cust_31',
        order_id: 'ord_17',
        order_name: '#1017',
        code: 'K7M2Q9XWBD',
        ordered_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:01.000Z'
      }
    ]
  }
)

export const presentReferral = (referral: Referral): Static<typeof ReferralBody> => ({
  id: referral.id,
  status: referral.status,
  reason: referral.reason,
  referrer_id: publicId('cust', referral.referrerId),
  friend_id: publicId('cust', referral.friendId),
  order_id: publicId('ord', referral.orderId),
  order_name: referral.orderName,
  code: referral.code,
  ordered_at: isoOf(referral.orderedAt),
  updated_at: isoOf(referral.updatedAt)
})
