import { Type } from 'typebox'
import { addCampaign } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { campaignChange } from './campaign-input.ts'
import { CampaignBody, campaignFields, presentCampaign } from './present-wallet.ts'

/** POST /stores/{store}/wallet/campaigns */
export function addCampaignRoute(admin: Surface, { wake }: AdminDeps): void {
  admin.post(
    '/stores/:store/wallet/campaigns',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'addSaleCampaign',
        summary: 'Add a sale campaign',
        description:
          'While it is active, passes show it, and the metafield `svc_wallet_pass_sale_campaigns` says so. It begins and ends by the clock of the store. Of several that are active, passes show the one that began last.',
        params: StoreParams,
        body: Type.Object(campaignFields),
        response: { 200: CampaignBody }
      }
    },
    async (request) => {
      const { title, ...given } = request.body
      const input = {
        message: '',
        image: '',
        isEnabled: true,
        startsAt: null,
        endsAt: null,
        ...campaignChange(given),
        title
      }
      const added = await request.inStore((ctx) => addCampaign(ctx, input))
      wake(storeOf(request).storeId)
      return presentCampaign(added)
    }
  )
}
