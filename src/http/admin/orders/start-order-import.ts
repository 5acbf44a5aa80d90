import { Type } from 'typebox'
import { instantOf } from '#kit/iso-date'
import { findOrderImport, startOrderImport } from '#orders'
import { storeDisconnected } from '#stores'
import { NeededIsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { requestStoreOf, StoreParams, storeOf } from '../store.ts'
import { OrderImportBody, presentOrderImport } from './present-order-import.ts'

/** POST /stores/{store}/order-import */
export function startOrderImportRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/order-import',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'startOrderImport',
        summary: 'Import orders',
        description:
          "Reads the orders that changed on the store's platform since a date, page by page in the background, and records those that are missing here. An import that is under way since that date or an earlier one goes on. For a sandbox store the response comes when it is done.",
        params: StoreParams,
        body: Type.Object({
          since: NeededIsoDate('Orders that changed since then are read', '2025-01-01')
        }),
        response: { 202: OrderImportBody }
      }
    },
    async (request, reply) => {
      const store = storeOf(request)
      if (store.status !== 'active') throw storeDisconnected(store.domain)
      const since = instantOf(request.body.since, requestStoreOf(request).timezone)!
      await request.inStore((ctx) => startOrderImport(ctx, since))
      await startDueWork(deps, store)
      const walk = await request.inStore(findOrderImport)
      return reply.code(202).send(presentOrderImport(walk!))
    }
  )
}
