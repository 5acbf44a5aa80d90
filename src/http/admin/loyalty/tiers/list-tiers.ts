import { countByTier, listTiers } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { List } from '../../fields.ts'
import { StoreParams } from '../../store.ts'
import { presentTier, TierBody } from './present-tier.ts'

/** GET /stores/{store}/loyalty/tiers */
export function listTiersRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/tiers',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listLoyaltyTiers',
        summary: 'List loyalty tiers',
        description: 'All of the store, the lowest first: at most 100.',
        params: StoreParams,
        response: { 200: List(TierBody, 'The tiers') }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const [tiers, counts] = [await listTiers(ctx), await countByTier(ctx)]
        return { data: tiers.map((tier) => presentTier(tier, counts)) }
      })
  )
}
