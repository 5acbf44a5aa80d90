import { revokeKey } from '#stores'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { KeyBody, KeyParams, presentKey } from './present-key.ts'

/** DELETE /stores/{store}/keys/{key} */
export function revokeKeyRoute(admin: Surface, { db }: AdminDeps): void {
  admin.delete(
    '/stores/:store/keys/:key',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke an API key',
        description: 'The key stops working at once. To revoke it again changes nothing.',
        params: KeyParams,
        response: { 200: KeyBody }
      }
    },
    async (request) => {
      const id = idInPath('key', request.params.key)
      return presentKey(await revokeKey(db, storeOf(request).storeId, id))
    }
  )
}
