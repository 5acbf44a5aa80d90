import { countByTier, getTier, loyaltyTierNotFound } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { numberInPath } from '../../numbered.ts'
import { presentTier, TierBody, TierParams } from './present-tier.ts'

/** GET /stores/{store}/loyalty/tiers/{tier} */
export function getTierRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/tiers/:tier',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getLoyaltyTier',
        summary: 'Read a loyalty tier',
        description: 'What it needs and what it gives.',
        params: TierParams,
        response: { 200: TierBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.tier, loyaltyTierNotFound)
      return request.inStore(async (ctx) => presentTier(await getTier(ctx, id), await countByTier(ctx)))
    }
  )
}
