import { Type } from 'typebox'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { unwrapForPerson } from './unwrap-for-person.ts'

const PlatformWebhook = Type.Object(
  {
    topic: Type.String({ description: 'The topic' }),
    uri: OrNull(Type.String({ description: 'Where the platform sends it; null when it does not' })),
    problem: OrNull(Type.String({ description: 'What is not as it should be; null where nothing is' }))
  },
  {
    title: 'PlatformWebhook',
    description: 'A webhook subscription of the app on the platform.',
    examples: [{ topic: 'orders/paid', uri: 'https://perennial.example.com/platform/webhooks', problem: null }]
  }
)

/** GET /stores/{store}/platform/webhooks */
export function listPlatformWebhooksRoute(admin: Surface, deps: AdminDeps): void {
  admin.get(
    '/stores/:store/platform/webhooks',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listPlatformWebhooks',
        summary: "List the platform's webhooks",
        description: 'How the subscriptions of the app on the platform are, by topic. Changes nothing.',
        params: StoreParams,
        response: { 200: Type.Object({ data: Type.Array(PlatformWebhook) }) }
      }
    },
    async (request) => ({ data: unwrapForPerson(await deps.install.lookAtWebhooks(storeOf(request).storeId)) })
  )
}
