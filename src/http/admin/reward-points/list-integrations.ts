import { Type } from 'typebox'
import { listRewardIntegrations } from '#exports'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { IntegrationBody, presentIntegration } from './present-integration.ts'

/** GET /stores/{store}/reward-integrations */
export function listIntegrationsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/reward-integrations',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listRewardIntegrations',
        summary: 'List integrations of reward points',
        description: 'All of the store, by their keys.',
        params: StoreParams,
        response: { 200: Type.Object({ data: Type.Array(IntegrationBody, { description: 'The integrations' }) }) }
      }
    },
    (request) => request.inStore(async (ctx) => ({ data: (await listRewardIntegrations(ctx)).map(presentIntegration) }))
  )
}
