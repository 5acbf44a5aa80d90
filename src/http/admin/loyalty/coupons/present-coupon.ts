import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { decimalOf } from '#kit/money'
import { COUPON_TYPES, type Coupon } from '#loyalty'
import { OrNull, Timestamp } from '#resources'

const optional = (description: string) => OrNull(Type.String({ description }))

export const CouponBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: Type.String({ description: '`pending` until its discount is made, `active`, or `ended`' }),
    ended_by: optional('Why it ended: `used`, `expired`, `deleted`, `revoked` or `refused`'),
    customer_id: Type.String({ description: 'Whose it is' }),
    platform_customer_id: Type.String({ description: "The platform's number of the customer" }),
    name: Type.String({ description: 'Of the rule, template or tier that it comes from' }),
    rule_id: OrNull(Type.Integer({ description: 'The rule whose reward it is' })),
    template_id: OrNull(Type.Integer({ description: 'The template that points have bought' })),
    tier_id: OrNull(Type.Integer({ description: 'The tier that gave it on entering it' })),
    type: Type.String({ description: `One of ${COUPON_TYPES.join(', ')}` }),
    percentage: optional('The percentage that it takes off; a decimal'),
    amount: optional('The amount that it takes off; a decimal'),
    product_ids: Type.Array(Type.String(), { description: 'Only for these products; none for all' }),
    collection_ids: Type.Array(Type.String(), { description: 'Only for products of these collections; none for all' }),
    minimum_subtotal: optional('What the goods have to cost; a decimal'),
    code: Type.String({ description: 'Its code' }),
    platform_discount_id: optional("The platform's number of its discount"),
    usage_count: Type.Integer({ description: 'How many orders have used it' }),
    problem: optional('Why the platform did not make it'),
    expires_at: OrNull(Timestamp('When it expires; null: never')),
    deleted_at: OrNull(Timestamp('When it was taken off the platform')),
    created_at: Timestamp('When it was created'),
    updated_at: Timestamp('When it last changed')
  },
  {
    title: 'LoyaltyCoupon',
    description: 'A coupon of a customer: the reward of a rule or of a tier, or what points have bought.',
    examples: [
      {
        id: 31,
        status: 'active',
        ended_by: null,
        customer_id: 'cust_24',
        platform_customer_id: '7064055069370',
        name: '$5 off',
        rule_id: null,
        template_id: 7,
        tier_id: null,
        type: 'amount_off_orders',
        percentage: null,
        amount: '5.00',
        product_ids: [],
        collection_ids: [],
        minimum_subtotal: '30.00',
        code: 'PTS-7KQ2M9XWBD4T',
        platform_discount_id: '1057856724',
        usage_count: 0,
        problem: null,
        expires_at: null,
        deleted_at: null,
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:01.000Z'
      }
    ]
  }
)

export function presentCoupon(coupon: Coupon, currency: string): Static<typeof CouponBody> {
  const money = (minor: number | null) => (minor === null ? null : decimalOf(minor, currency))
  const { percentHundredths } = coupon
  return {
    id: coupon.id,
    // It is over from then on, also before that is noted.
    status: coupon.status === 'active' && !coupon.isActive ? 'ended' : coupon.status,
    ended_by: coupon.status === 'active' && !coupon.isActive ? 'expired' : coupon.endedBy,
    customer_id: publicId('cust', coupon.memberId),
    platform_customer_id: coupon.customerId,
    name: coupon.name,
    rule_id: coupon.ruleId,
    template_id: coupon.templateId,
    tier_id: coupon.tierId,
    type: coupon.type,
    percentage: percentHundredths === null ? null : (percentHundredths / 100).toFixed(2),
    amount: money(coupon.amountMinor),
    product_ids: coupon.productIds,
    collection_ids: coupon.collectionIds,
    minimum_subtotal: money(coupon.minimumMinor),
    code: coupon.code,
    platform_discount_id: coupon.platformDiscountId,
    usage_count: coupon.usageCount,
    problem: coupon.problem,
    expires_at: isoOrNull(coupon.expiresAt),
    deleted_at: isoOrNull(coupon.deletedAt),
    created_at: isoOf(coupon.createdAt),
    updated_at: isoOf(coupon.updatedAt)
  }
}
