import { Type } from 'typebox'
import { type FieldProblem, invalidFields } from '#kit/refusal'
import { COUPON_TYPES, type CouponType, listCoupons } from '#loyalty'
import { gid } from '#platform'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'
import { ownCustomer, refuseOthers } from './own-customer.ts'
import { presentShopperCoupon, ShopperCoupon } from './present-coupon.ts'

/** The latest are shown. */
const MOST = 250
const TYPES = `one of ${COUPON_TYPES.join(', ')}`

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
        querystring: Type.Object({
          type: Type.Optional(
            Type.String({ description: TYPES, meaning: 'Only coupons of this type', examples: ['free_product'] })
          ),
          status: Type.Optional(
            Type.String({
              description: '1 or 0',
              meaning: 'Only coupons that are active, or that are not',
              examples: ['1']
            })
          )
        }),
        response: { 200: Type.Object({ data: Type.Array(ShopperCoupon, { description: 'The coupons' }) }) }
      }
    },
    async (request) => {
      refuseOthers(request, request.params.shopify_customer_id)
      const filter = readFilter(request.query)
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

function readFilter({ type, status }: Record<string, unknown>): { type: CouponType | null; isActive: boolean | null } {
  const problems: FieldProblem[] = []
  if (type !== undefined && !COUPON_TYPES.includes(type as CouponType)) {
    problems.push({ field: 'type', code: 'invalid', message: `must be ${TYPES}` })
  }
  if (status !== undefined && status !== '1' && status !== '0') {
    problems.push({ field: 'status', code: 'invalid', message: 'must be 1 or 0' })
  }
  if (problems.length > 0) throw invalidFields(problems)
  return { type: (type as CouponType | undefined) ?? null, isActive: status === undefined ? null : status === '1' }
}
