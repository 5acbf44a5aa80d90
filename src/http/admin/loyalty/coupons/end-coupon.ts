import { couponNotFound, endCoupon } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { numberedParams, numberInPath } from '../../numbered.ts'
import { storeOf } from '../../store.ts'
import { CouponBody, presentCoupon } from './present-coupon.ts'

/** POST /stores/{store}/loyalty/coupons/{coupon}/end */
export function endCouponRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/coupons/:coupon/end',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'endLoyaltyCoupon',
        summary: 'End a coupon of loyalty',
        description:
          'It is taken off the platform a moment later. Points that have bought it stay spent. 409 where it was used or is over.',
        params: numberedParams('coupon', 'a coupon'),
        response: { 200: CouponBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.coupon, couponNotFound)
      return presentCoupon(await request.inStore((ctx) => endCoupon(ctx, id)), storeOf(request).currency)
    }
  )
}
