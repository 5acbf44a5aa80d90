import { listStores } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { List } from '../fields.ts'
import { presentStore, StoreBody } from './present-store.ts'

/** GET /stores */
export function listStoresRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listStores',
        summary: 'List stores',
        description: 'Every store of the installation.',
        response: { 200: List(StoreBody, 'The stores') }
      }
    },
    async () => ({ data: (await listStores(db)).map(presentStore) })
  )
}
