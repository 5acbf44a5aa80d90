import { listKeys } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import { List } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { KeyBody, presentKey } from './present-key.ts'

/** GET /stores/{store}/keys */
export function listKeysRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/keys',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listKeys',
        summary: 'List API keys',
        description: 'The keys of the store, newest first, with their last use.',
        params: StoreParams,
        response: { 200: List(KeyBody, 'The keys') }
      }
    },
    async (request) => ({ data: (await request.inStore(listKeys)).map(presentKey) })
  )
}
