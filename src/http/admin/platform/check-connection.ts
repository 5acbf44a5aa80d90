import { Type } from 'typebox'
import { retryInboundNow } from '#platform'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { unwrapForPerson } from './unwrap-for-person.ts'

const CheckedConnection = Type.Object(
  {
    changed: Type.Integer({ description: 'How many webhooks, scopes and facts of the shop were not as known here' }),
    messages_retried: Type.Integer({
      description: 'How many messages of the platform that had failed are processed again'
    })
  },
  {
    title: 'CheckedConnection',
    description: 'What a check of the connection has corrected.',
    examples: [{ changed: 0, messages_retried: 0 }]
  }
)

/** POST /stores/{store}/platform/check */
export function checkConnectionRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/platform/check',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'checkPlatformConnection',
        summary: 'Check the connection to the platform',
        description:
          "Registers the service's webhooks where they are missing or wrong, and reads the access scopes and the shop, which also happens every hour. Messages of the platform that failed are processed again.",
        params: StoreParams,
        response: { 200: CheckedConnection }
      }
    },
    async (request) => {
      const { storeId } = storeOf(request)
      const checked = unwrapForPerson(await deps.install.checkConnection(storeId))
      return { ...checked, messages_retried: await deps.db.inStore(storeId, retryInboundNow) }
    }
  )
}
