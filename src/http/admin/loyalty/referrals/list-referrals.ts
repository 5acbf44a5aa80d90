import { Type } from 'typebox'
import { listReferrals, REFERRAL_STATUSES } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { Before, oneOf, Page, PageLimit, pageOf } from '../../fields.ts'
import { StoreParams, storeOf } from '../../store.ts'
import { customerFilter, namedCustomer } from '../loyalty-customer.ts'
import { presentReferral, ReferralBody } from './present-referral.ts'

/** GET /stores/{store}/loyalty/referrals */
export function listReferralsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/referrals',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listLoyaltyReferrals',
        summary: 'List orders with referral codes',
        description: 'Newest first, with those that are refused and the reason.',
        params: StoreParams,
        querystring: Type.Object({
          customer: customerFilter('Only those by the code of this customer, and their own orders'),
          status: Type.Optional(oneOf(REFERRAL_STATUSES, { meaning: 'Only those of this status' })),
          limit: PageLimit,
          before: Before('a referral', 'older ones', 31)
        }),
        response: { 200: Page(ReferralBody, 'The referrals') }
      }
    },
    async (request) => {
      const { platformProfile } = storeOf(request)
      const { customer, status = null, limit = 50, before: beforeId = null } = request.query
      return request.inStore(async (ctx) => {
        const memberId = customer === undefined ? null : await namedCustomer(ctx, customer, platformProfile)
        const found = await listReferrals(ctx, { memberId, status, beforeId, limit: limit + 1 })
        return pageOf(found, limit, presentReferral)
      })
    }
  )
}
