import { Refusal } from '#kit/refusal'
import { findOrderImport } from '#orders'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams, storeOf } from '../store.ts'
import { OrderImportBody, presentOrderImport } from './present-order-import.ts'

/** GET /stores/{store}/order-import */
export function getOrderImportRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/order-import',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getOrderImport',
        summary: 'Get the import of orders',
        description: 'The import that is under way, or the last one.',
        params: StoreParams,
        response: { 200: OrderImportBody }
      }
    },
    async (request) => {
      const walk = await request.inStore(findOrderImport)
      if (!walk) throw new Refusal('not_found', `No orders were imported into ${storeOf(request).domain} yet`)
      return presentOrderImport(walk)
    }
  )
}
