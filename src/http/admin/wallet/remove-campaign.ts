import { removeCampaign } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { campaignIdOf } from './campaign-input.ts'
import { CampaignBody, CampaignParams, presentCampaign } from './present-wallet.ts'

/** DELETE /stores/{store}/wallet/campaigns/{campaign} */
export function removeCampaignRoute(admin: Surface, { wake }: AdminDeps): void {
  admin.delete(
    '/stores/:store/wallet/campaigns/:campaign',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'removeSaleCampaign',
        summary: 'Remove a sale campaign',
        description: 'Passes do not show it any more. Returns it as it was.',
        params: CampaignParams,
        response: { 200: CampaignBody }
      }
    },
    async (request) => {
      const id = campaignIdOf(request.params.campaign)
      const removed = await request.inStore((ctx) => removeCampaign(ctx, id))
      wake(storeOf(request).storeId)
      return presentCampaign(removed)
    }
  )
}
