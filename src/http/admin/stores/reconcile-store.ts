import { listReconciliations, reconcileStore } from '#sync'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { List } from '../fields.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { presentReconciliation, ReconciliationBody } from './present-reconciliation.ts'

/** POST /stores/{store}/reconcile */
export function reconcileStoreRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/reconcile',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'reconcileStore',
        summary: 'Reconcile with the platform now',
        description:
          "Reads everything from the store's platform without waiting for the schedule. For a sandbox store the response comes when that is done; a live store is read in the background.",
        params: StoreParams,
        response: { 202: List(ReconciliationBody, 'One entry per kind') }
      }
    },
    async (request, reply) => {
      await reconcileStore(deps.db, storeOf(request))
      await startDueWork(deps, storeOf(request))
      const all = await request.inStore(listReconciliations)
      return reply.code(202).send({ data: all.map(presentReconciliation) })
    }
  )
}
