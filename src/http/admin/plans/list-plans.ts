import { listPlans } from '#plans'
import type { Surface } from '../../shared/surface.ts'
import { List } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { PlanBody, presentPlan } from './present-plan.ts'

/** GET /stores/{store}/plans */
export function listPlansRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/plans',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listPlans',
        summary: 'List plans',
        description: 'Every plan of the store, disabled ones included.',
        params: StoreParams,
        response: { 200: List(PlanBody, 'The plans') }
      }
    },
    async (request) => ({ data: (await request.inStore(listPlans)).map(presentPlan) })
  )
}
