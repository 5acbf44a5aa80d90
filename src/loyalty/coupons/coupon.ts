import { instant, int, nullable, oneOf, type RowOf, row, text, textList } from '#kit/postgres'

/** As the API calls them (spec 2, Loyalty coupon). None of ours is `buy_x_get_y`. */
export const COUPON_TYPES = [
  'amount_off_products',
  'amount_off_orders',
  'buy_x_get_y',
  'free_shipping',
  'free_product'
] as const
export type CouponType = (typeof COUPON_TYPES)[number]

export const COUPON_STATUSES = ['pending', 'active', 'ended'] as const
const ENDED_BY = ['used', 'expired', 'deleted', 'revoked', 'refused'] as const
export type CouponEndedBy = (typeof ENDED_BY)[number]

/** What a coupon takes off: a share in hundredths of a percent, or an amount. Of free goods and free shipping it is all. */
export type CouponTerms = {
  type: CouponType
  percentHundredths: number | null
  amountMinor: number | null
  productIds: string[]
  collectionIds: string[]
  /** What the goods have to cost; null for nothing. */
  minimumMinor: number | null
}

export const CouponRow = row({
  id: int,
  memberId: int,
  ruleId: nullable(int),
  templateId: nullable(int),
  tierId: nullable(int),
  name: text,
  type: oneOf(...COUPON_TYPES),
  percentHundredths: nullable(int),
  amountMinor: nullable(int),
  productIds: textList,
  collectionIds: textList,
  minimumMinor: nullable(int),
  code: text,
  status: oneOf(...COUPON_STATUSES),
  endedBy: nullable(oneOf(...ENDED_BY)),
  usageCount: int,
  expiresAt: nullable(instant),
  platformDiscountId: nullable(text),
  /** Of a free product, as the platform called it then. */
  productTitle: nullable(text),
  pointsEntryId: nullable(int),
  problem: nullable(text),
  createdAt: instant,
  updatedAt: instant,
  deletedAt: nullable(instant),
  customerId: text
})

/** A coupon of a customer. `name`: of the rule, template or tier that it comes from. `customerId`: the platform's. */
export type Coupon = RowOf<typeof CouponRow> & {
  /** The platform takes it now. */
  isActive: boolean
}

export const couponOfRow = (found: RowOf<typeof CouponRow>, now: Temporal.Instant): Coupon => ({
  ...found,
  isActive:
    found.status === 'active' && (found.expiresAt === null || Temporal.Instant.compare(now, found.expiresAt) < 0)
})
