import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { unwrapForPerson } from './unwrap-for-person.ts'

const CheckedConnection = Type.Object(
  { changed: Type.Integer({ description: 'How many webhooks, scopes and facts of the shop were not as known here' }) },
  {
    title: 'CheckedConnection',
    description: 'What a check of the connection has corrected.',
    examples: [{ changed: 0 }]
  }
)

/** POST /stores/{store}/platform/check */
export function checkConnectionRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/platform/check',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'checkPlatformConnection',
        summary: 'Check the connection to the platform',
        description:
          "Registers the service's webhooks where they are missing or wrong, and reads the access scopes and the shop. This also happens every hour.",
        params: StoreParams,
        response: { 200: CheckedConnection }
      }
    },
    async (request) => unwrapForPerson(await deps.install.checkConnection(storeOf(request).storeId))
  )
}
