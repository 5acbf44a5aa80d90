import { removeRewardIntegration } from '#exports'
import type { Surface } from '../../shared/surface.ts'
import { IntegrationParams } from './present-integration.ts'

/** DELETE /stores/{store}/reward-integrations/{integration} */
export function removeIntegrationRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/reward-integrations/:integration',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'removeRewardIntegration',
        summary: 'Remove an integration of reward points',
        description: 'Its balances are removed with it, and rows of members lose its field.',
        params: IntegrationParams,
        response: { 204: { description: 'It is removed', type: 'null' } }
      }
    },
    async (request, reply) => {
      await request.inStore((ctx) => removeRewardIntegration(ctx, request.params.integration))
      return reply.code(204).send()
    }
  )
}
