import { Type } from 'typebox'
import { listCampaigns } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { CampaignBody, presentCampaign } from './present-wallet.ts'

/** GET /stores/{store}/wallet/campaigns */
export function listCampaignsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/wallet/campaigns',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listSaleCampaigns',
        summary: 'List sale campaigns',
        description: 'All of the store, in the order in which they were added: at most 100.',
        params: StoreParams,
        response: { 200: Type.Object({ data: Type.Array(CampaignBody, { description: 'The campaigns' }) }) }
      }
    },
    (request) => request.inStore(async (ctx) => ({ data: (await listCampaigns(ctx)).map(presentCampaign) }))
  )
}
