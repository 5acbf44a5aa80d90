import { Type } from 'typebox'
import { listSubscriptionRewards } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { Before, oneOf, Page, PageLimit, pageOf } from '../../fields.ts'
import { StoreParams, storeOf } from '../../store.ts'
import { customerFilter, namedCustomer } from '../loyalty-customer.ts'
import { presentSubscriptionReward, SubscriptionRewardBody } from './present-subscription-reward.ts'

/** GET /stores/{store}/loyalty/subscription-rewards */
export function listSubscriptionRewardsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/subscription-rewards',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listLoyaltySubscriptionRewards',
        summary: 'List rewards on renewals',
        description: 'Newest first, with those that are over.',
        params: StoreParams,
        querystring: Type.Object({
          customer: customerFilter('Only rewards of this customer'),
          status: Type.Optional(oneOf(['pending', 'active', 'ended'], { meaning: 'Only rewards with this status' })),
          limit: PageLimit,
          before: Before('a reward on renewals', 'older ones', 31)
        }),
        response: { 200: Page(SubscriptionRewardBody, 'The rewards') }
      }
    },
    (request) => {
      const { platformProfile, currency } = storeOf(request)
      const { customer, status = null, limit = 50, before: beforeId = null } = request.query
      return request.inStore(async (ctx) => {
        const memberId = customer === undefined ? null : await namedCustomer(ctx, customer, platformProfile)
        const found = await listSubscriptionRewards(ctx, { memberId, status, beforeId, limit: limit + 1 })
        return pageOf(found, limit, (reward) => presentSubscriptionReward(reward, currency))
      })
    }
  )
}
