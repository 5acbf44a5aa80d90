import type { Surface } from '../../shared/surface.ts'
import { StoreParams, storeOf } from '../store.ts'
import { presentStore, StoreBody } from './present-store.ts'

/** GET /stores/{store} */
export function getStoreRoute(admin: Surface): void {
  admin.get(
    '/stores/:store',
    {
      config: { allow: 'view', ofDeleting: true },
      schema: {
        operationId: 'getStore',
        summary: 'Read a store',
        description: 'One store, without its secrets.',
        params: StoreParams,
        response: { 200: StoreBody }
      }
    },
    async (request) => presentStore(storeOf(request))
  )
}
