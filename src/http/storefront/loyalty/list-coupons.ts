import { Type } from 'typebox'
import { COUPON_TYPES, listCoupons } from '#loyalty'
import { gid } from '#platform'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'
import { filterParameters, readFilters } from './list-filters.ts'
import { ownCustomer, refuseOthers } from './own-customer.ts'
import { presentShopperCoupon, ShopperCoupon } from './present-coupon.ts'

/** The latest are shown. */
const MOST = 250

/** GET /loyalty/customers/{shopify_customer_id}/coupons (spec 2, Loyalty API) */
export function listCouponsRoute(storefront: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  storefront.get(
    '/loyalty/customers/:shopify_customer_id/coupons',
    {
      config: { allow: 'customer' },
      // The filters are read after it is known who asks: others are refused first. The proxy and themes may add parameters.
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: 'listCoupons',
        summary: 'List the coupons of a customer',
        description: `The latest ${MOST} coupons of the customer who is logged in, newest first, with those that are over. 403 for any other customer.`,
        params: Type.Object({
          shopify_customer_id: Type.String({
            description: 'a customer id',
            meaning: "The platform's number of the customer who is logged in, or its global id",
            examples: ['7064055069370']
          })
        }),
        querystring: filterParameters('coupons', COUPON_TYPES),
        response: { 200: Type.Object({ data: Type.Array(ShopperCoupon, { description: 'The coupons' }) }) }
      }
    },
    async (request) => {
      refuseOthers(request, request.params.shopify_customer_id)
      const { type, status } = readFilters(request.query, COUPON_TYPES)
      const filter = { type, isActive: status === null ? null : status === 1 }
      const { store } = customerOf(request)
      const coupons = await db.inStore(store.storeId, async (ctx) =>
        listCoupons(ctx, { ...filter, memberId: await ownCustomer(ctx, request), beforeId: null, limit: MOST })
      )
      const of = {
        currency: store.currency,
        gidOf: (id: string) => gid(store.profile, 'DiscountCodeNode', id)
      }
      return { data: coupons.map((coupon) => presentShopperCoupon(coupon, of)) }
    }
  )
}
