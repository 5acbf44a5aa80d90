import { listReconciliations } from '#sync'
import type { Surface } from '../../shared/surface.ts'
import { List } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { presentReconciliation, ReconciliationBody } from './present-reconciliation.ts'

/** GET /stores/{store}/reconcile */
export function listReconciliationsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/reconcile',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listReconciliations',
        summary: 'List reconciliations',
        description: "What is read from the store's platform on a schedule, when it was read last and what came of it.",
        params: StoreParams,
        response: { 200: List(ReconciliationBody, 'One entry per kind') }
      }
    },
    async (request) => ({ data: (await request.inStore(listReconciliations)).map(presentReconciliation) })
  )
}
