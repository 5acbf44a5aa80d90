import { Type } from 'typebox'
import { setEndpointStatus } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { EndpointParams } from './endpoint-fields.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

/** POST /stores/{store}/webhooks/{endpoint}/enable */
export function enableEndpointRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/webhooks/:endpoint/enable',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'enableWebhookEndpoint',
        summary: 'Enable a webhook endpoint',
        description: 'It receives events from the next one on.',
        params: EndpointParams,
        body: Type.Object({}),
        response: { 200: EndpointBody }
      }
    },
    async (request) =>
      presentEndpoint(await request.inStore((ctx) => setEndpointStatus(ctx, request.params.endpoint, 'enabled')))
  )
}
