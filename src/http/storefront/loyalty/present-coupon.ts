import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { decimalOf } from '#kit/money'
import { COUPON_TYPES, type Coupon, type CouponType } from '#loyalty'
import { OrNull, Timestamp } from '#resources'

/** A coupon as themes read it (spec 2, Loyalty coupon). */
export const ShopperCoupon = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    shopify_id: Type.String({ description: 'The global id of its discount on the platform; empty until it is made' }),
    discount_code: Type.String({ description: 'The code that is applied at checkout' }),
    status: Type.Integer({ description: '1 while the platform takes it, else 0' }),
    usage_count: Type.Integer({ description: 'How many orders have used it' }),
    expires_at: OrNull(Timestamp('When it expires; null: never')),
    deleted_at: OrNull(Timestamp('When it was taken off the platform; null: it was not')),
    info: Type.Object(
      {
        type: Type.Unsafe<CouponType>({ type: 'string', enum: [...COUPON_TYPES], description: 'What it is' }),
        amount: Type.String({ description: 'A percentage or an amount, by `discount_type`; a decimal' }),
        rule_name: Type.String({ description: 'The name of the rule, template or tier that it comes from' }),
        discount_type: Type.String({ description: '`percentage` or `fixed_amount`' }),
        minimum: Type.Object(
          {
            type: Type.String({ description: '`subtotal`, or `none`' }),
            value: OrNull(Type.String({ description: 'What the goods have to cost; a decimal' }))
          },
          { description: 'What an order needs' }
        ),
        product: OrNull(
          Type.Object(
            {
              id: Type.String({ description: "The platform's number of it" }),
              title: OrNull(Type.String({ description: 'Its title when the discount was made; null until then' }))
            },
            { description: 'The product of which a piece is free; null where it is no `free_product`' }
          )
        )
      },
      { description: 'What it takes off' }
    ),
    created_at: Timestamp('When it was created'),
    updated_at: Timestamp('When it last changed')
  },
  {
    title: 'ShopperCoupon',
    description: 'A coupon of a customer.',
    examples: [
      {
        id: 31,
        shopify_id: 'gid://platform/DiscountCodeNode/1057856724',
        discount_code: 'PTS-7KQ2M9XWBD4T',
        status: 1,
        usage_count: 0,
        expires_at: '2026-12-20T04:00:00.000Z',
        deleted_at: null,
        info: {
          type: 'amount_off_orders',
          amount: '5.00',
          rule_name: '$5 off',
          discount_type: 'fixed_amount',
          minimum: { type: 'subtotal', value: '30.00' },
          product: null
        },
        created_at: '2026-11-20T04:00:00.000Z',
        updated_at: '2026-11-20T04:00:01.000Z'
      }
    ]
  }
)

/** `gidOf` makes a global id of the store's platform. */
export function presentShopperCoupon(
  coupon: Coupon,
  { currency, gidOf }: { currency: string; gidOf: (id: string) => string }
): Static<typeof ShopperCoupon> {
  const { percentHundredths, amountMinor, minimumMinor, platformDiscountId } = coupon
  return {
    id: coupon.id,
    shopify_id: platformDiscountId === null ? '' : gidOf(platformDiscountId),
    discount_code: coupon.code,
    status: coupon.isActive ? 1 : 0,
    usage_count: coupon.usageCount,
    expires_at: isoOrNull(coupon.expiresAt),
    deleted_at: isoOrNull(coupon.deletedAt),
    info: {
      type: coupon.type,
      amount: amountMinor === null ? (percentHundredths! / 100).toFixed(2) : decimalOf(amountMinor, currency),
      rule_name: coupon.name,
      discount_type: amountMinor === null ? 'percentage' : 'fixed_amount',
      minimum:
        minimumMinor === null
          ? { type: 'none', value: null }
          : { type: 'subtotal', value: decimalOf(minimumMinor, currency) },
      product: coupon.type === 'free_product' ? { id: coupon.productIds[0]!, title: coupon.productTitle } : null
    },
    created_at: isoOf(coupon.createdAt),
    updated_at: isoOf(coupon.updatedAt)
  }
}
