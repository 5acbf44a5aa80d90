import { countByTier, loyaltyTierNotFound, updateTier } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { anyOf } from '../../fields.ts'
import { numberInPath } from '../../numbered.ts'
import { presentTier, TierBody, TierParams, tierChange, tierFields } from './present-tier.ts'

/** PATCH /stores/{store}/loyalty/tiers/{tier} */
export function updateTierRoute(admin: Surface): void {
  admin.patch(
    '/stores/:store/loyalty/tiers/:tier',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updateLoyaltyTier',
        summary: 'Change a loyalty tier',
        description:
          'What is left out stays; `entry_rules` and `reward_rules` are replaced as a whole. Where `entry_rules`, `order` or `is_active` change, all customers are put where the tiers say then; from a tier that is not active they go to the next lower one that is theirs.',
        params: TierParams,
        body: anyOf(tierFields),
        response: { 200: TierBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.tier, loyaltyTierNotFound)
      return request.inStore(async (ctx) => {
        const tier = await updateTier(ctx, id, tierChange(request.body))
        return presentTier(tier, await countByTier(ctx))
      })
    }
  )
}
