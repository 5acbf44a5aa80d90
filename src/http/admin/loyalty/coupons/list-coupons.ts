import { Type } from 'typebox'
import { COUPON_TYPES, listCoupons } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { Before, oneOf, Page, PageLimit, pageOf } from '../../fields.ts'
import { StoreParams, storeOf } from '../../store.ts'
import { customerFilter, namedCustomer } from '../loyalty-customer.ts'
import { CouponBody, presentCoupon } from './present-coupon.ts'

/** GET /stores/{store}/loyalty/coupons */
export function listCouponsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/coupons',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listLoyaltyCoupons',
        summary: 'List coupons of loyalty',
        description: 'Newest first, with those that are over.',
        params: StoreParams,
        querystring: Type.Object({
          customer: customerFilter('Only coupons of this customer'),
          type: Type.Optional(oneOf(COUPON_TYPES, { meaning: 'Only coupons of this type' })),
          limit: PageLimit,
          before: Before('a coupon', 'older coupons', 31)
        }),
        response: { 200: Page(CouponBody, 'The coupons') }
      }
    },
    (request) => {
      const { platformProfile, currency } = storeOf(request)
      const { customer, type = null, limit = 50, before: beforeId = null } = request.query
      return request.inStore(async (ctx) => {
        const memberId = customer === undefined ? null : await namedCustomer(ctx, customer, platformProfile)
        const found = await listCoupons(ctx, { memberId, type, isActive: null, beforeId, limit: limit + 1 })
        return pageOf(found, limit, (coupon) => presentCoupon(coupon, currency))
      })
    }
  )
}
