import { Type } from 'typebox'
import { loyaltyTemplateNotFound, redeemTemplate } from '#loyalty'
import { gid } from '#platform'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'
import { ownCustomer } from './own-customer.ts'
import { presentShopperCoupon, ShopperCoupon } from './present-coupon.ts'

/** POST /loyalty/coupons/{id}/redemption: what the contract's API, which only reads, lacks. */
export function redeemTemplateRoute(storefront: Surface, { db, wake }: Pick<HttpDeps, 'db' | 'wake'>): void {
  storefront.post(
    '/loyalty/coupons/:template_id/redemption',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'redeemTemplate',
        summary: 'Buy a coupon with points',
        description:
          'Spends points of the customer who is logged in for a coupon, or does neither. The platform makes the discount a moment later: `status` is 1 then. Safe to repeat: a request with the same `request_id` has the same coupon; without one, the answer is the coupon of this template that the customer has and has not used, and a new one is bought only where there is none. 403 where the points are too few, the template is not active, or loyalty is off.',
        params: Type.Object({
          template_id: Type.String({
            description: 'the number of a coupon template',
            meaning: 'The id of the coupon template',
            examples: ['7']
          })
        }),
        body: Type.Object({
          request_id: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z0-9_.:-]{1,64}$',
              description: 'a text of 1 to 64 letters, digits, or _ . : -',
              meaning: 'Identifies the request of the customer, to buy a further coupon of a template',
              examples: ['6f1c2a90-click-2']
            })
          )
        }),
        response: { 200: Type.Object({ data: ShopperCoupon }) }
      }
    },
    async (request) => {
      const { store } = customerOf(request)
      const { template_id } = request.params
      if (!/^[1-9]\d{0,14}$/.test(template_id)) throw loyaltyTemplateNotFound(template_id)
      const { request_id: requestId = null } = request.body ?? {}
      const coupon = await db.inStore(store.storeId, async (ctx) => {
        const memberId = await ownCustomer(ctx, request)
        return redeemTemplate(ctx, { memberId, templateId: Number(template_id), requestId })
      })
      wake(store.storeId)
      const gidOf = (id: string) => gid(store.profile, 'DiscountCodeNode', id)
      return { data: presentShopperCoupon(coupon, { currency: store.currency, gidOf }) }
    }
  )
}
