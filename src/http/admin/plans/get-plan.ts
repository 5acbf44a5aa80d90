import { idInPath, noSuch } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { PlanParams } from './plan-params.ts'
import { planWithVersions } from './plan-with-versions.ts'
import { PlanWithVersionsBody } from './present-plan.ts'

/** GET /stores/{store}/plans/{plan} */
export function getPlanRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/plans/:plan',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getPlan',
        summary: 'Read a plan',
        description: 'One plan with its versions.',
        params: PlanParams,
        response: { 200: PlanWithVersionsBody }
      }
    },
    async (request) => {
      const { plan } = request.params
      const found = await request.inStore((ctx) => planWithVersions(ctx, idInPath('plan', plan)))
      if (!found) throw noSuch('plan', plan)
      return found
    }
  )
}
