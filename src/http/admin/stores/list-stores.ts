import { listStores } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { AdminDeps } from '../deps.ts'
import { List } from '../fields.ts'
import { presentStore, StoreBody } from './present-store.ts'

/** GET /stores */
export function listStoresRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores',
    {
      config: { allow: 'view', forStaff: true },
      schema: {
        operationId: 'listStores',
        summary: 'List stores',
        description: 'Every store of the installation; in the admin of a shop its own.',
        response: { 200: List(StoreBody, 'The stores') }
      }
    },
    async (request) => {
      const { staff } = callerOf(request)
      const stores = await listStores(db)
      const seen = staff ? stores.filter(({ storeId }) => storeId === staff.storeId) : stores
      return { data: seen.map(presentStore) }
    }
  )
}
