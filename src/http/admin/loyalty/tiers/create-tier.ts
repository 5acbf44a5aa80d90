import { Type } from 'typebox'
import { createTier } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { StoreParams } from '../../store.ts'
import { presentTier, TierBody, tierChange, tierFields } from './present-tier.ts'

/** POST /stores/{store}/loyalty/tiers */
export function createTierRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/tiers',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'createLoyaltyTier',
        summary: 'Create a loyalty tier',
        description: 'What is wrong is refused by its path. A store has at most 100.',
        params: StoreParams,
        body: Type.Object(tierFields),
        response: { 200: TierBody }
      }
    },
    async (request) => {
      const { name, ...given } = request.body
      const input = {
        description: '',
        entryRules: {},
        rewardRules: {},
        multiplier: 1,
        place: null,
        tag: '',
        isActive: true,
        ...tierChange(given),
        name
      }
      return presentTier(await request.inStore((ctx) => createTier(ctx, input)), new Map())
    }
  )
}
