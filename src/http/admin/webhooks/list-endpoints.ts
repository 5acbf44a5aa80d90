import { listEndpoints } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { List } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

/** GET /stores/{store}/webhooks */
export function listEndpointsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/webhooks',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listWebhookEndpoints',
        summary: 'List webhook endpoints',
        description: 'The endpoints of the store and its open listeners, newest first.',
        params: StoreParams,
        response: { 200: List(EndpointBody, 'The endpoints') }
      }
    },
    async (request) => ({ data: (await request.inStore(listEndpoints)).map(presentEndpoint) })
  )
}
