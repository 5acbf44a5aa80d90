import { Refusal } from '#kit/refusal'
import { findEndpoint } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { EndpointParams } from './endpoint-fields.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

/** GET /stores/{store}/webhooks/{endpoint} */
export function getEndpointRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/webhooks/:endpoint',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getWebhookEndpoint',
        summary: 'Read a webhook endpoint',
        description: 'One endpoint, without its secret.',
        params: EndpointParams,
        response: { 200: EndpointBody }
      }
    },
    async (request) => {
      const { endpoint: id } = request.params
      const endpoint = await request.inStore((ctx) => findEndpoint(ctx, id))
      if (!endpoint) throw new Refusal('not_found', `There is no webhook endpoint ${id.slice(0, 100)}`)
      return presentEndpoint(endpoint)
    }
  )
}
