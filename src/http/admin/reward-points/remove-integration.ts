import { removeRewardIntegration } from '#exports'
import type { Surface } from '../../shared/surface.ts'
import { IntegrationBody, IntegrationParams, presentIntegration } from './present-integration.ts'

/** DELETE /stores/{store}/reward-integrations/{integration} */
export function removeIntegrationRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/reward-integrations/:integration',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'removeRewardIntegration',
        summary: 'Remove an integration of reward points',
        description: 'Its balances are removed with it, and rows of members lose its field. Returns it as it was.',
        params: IntegrationParams,
        response: { 200: IntegrationBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => presentIntegration(await removeRewardIntegration(ctx, request.params.integration)))
  )
}
