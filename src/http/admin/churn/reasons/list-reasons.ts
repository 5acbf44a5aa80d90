import { listReasons } from '#churn'
import type { Surface } from '../../../shared/surface.ts'
import { List } from '../../fields.ts'
import { StoreParams } from '../../store.ts'
import { presentReason, ReasonBody } from './present-reason.ts'

/** GET /stores/{store}/churn/reasons */
export function listReasonsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/churn/reasons',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listCancellationReasons',
        summary: 'List cancellation reasons',
        description: 'All nine, in the order of the store, with those that are switched off.',
        params: StoreParams,
        response: { 200: List(ReasonBody, 'The reasons') }
      }
    },
    (request) => request.inStore(async (ctx) => ({ data: (await listReasons(ctx)).map(presentReason) }))
  )
}
