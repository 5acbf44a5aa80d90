import { findRewardIntegration, pullRewardBalancesNow } from '#exports'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { storeOf } from '../store.ts'
import { IntegrationBody, IntegrationParams, presentIntegration } from './present-integration.ts'

/** POST /stores/{store}/reward-integrations/{integration}/pull */
export function pullBalancesRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/reward-integrations/:integration/pull',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'pullRewardBalances',
        summary: 'Pull balances of reward points now',
        description:
          'Pulls the balances of the integration from its URL in the background, and not only when the next time comes. A pull that is under way goes on; one that waits after a failure is tried again. For a sandbox store the response comes when that is done.',
        params: IntegrationParams,
        response: { 202: IntegrationBody }
      }
    },
    async (request, reply) => {
      const { integration } = request.params
      await request.inStore((ctx) => pullRewardBalancesNow(ctx, integration))
      await startDueWork(deps, storeOf(request))
      return reply
        .code(202)
        .send(presentIntegration(await request.inStore((ctx) => findRewardIntegration(ctx, integration))))
    }
  )
}
