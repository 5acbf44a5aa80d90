import { Type } from 'typebox'
import { changeCampaign } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { campaignChange, campaignIdOf } from './campaign-input.ts'
import { CampaignBody, CampaignParams, campaignFields, presentCampaign } from './present-wallet.ts'

/** PATCH /stores/{store}/wallet/campaigns/{campaign} */
export function changeCampaignRoute(admin: Surface, { wake }: AdminDeps): void {
  admin.patch(
    '/stores/:store/wallet/campaigns/:campaign',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'changeSaleCampaign',
        summary: 'Change a sale campaign',
        description: 'What is left out stays.',
        params: CampaignParams,
        body: Type.Object({ ...campaignFields, title: Type.Optional(campaignFields.title) }),
        response: { 200: CampaignBody }
      }
    },
    async (request) => {
      const id = campaignIdOf(request.params.campaign)
      const changed = await request.inStore((ctx) => changeCampaign(ctx, id, campaignChange(request.body)))
      wake(storeOf(request).storeId)
      return presentCampaign(changed)
    }
  )
}
