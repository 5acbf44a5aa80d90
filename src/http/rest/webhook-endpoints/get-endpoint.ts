import { WebhookEndpointBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentWebhookEndpoint } from '../present-webhook-endpoint.ts'
import { EndpointParams, endpointIn } from './one-endpoint.ts'

/** GET /webhook-endpoints/{endpoint_id}: ours. */
export function getWebhookEndpointRoute(rest: Surface): void {
  rest.get(
    '/webhook-endpoints/:endpoint_id',
    {
      config: { allow: 'read:webhooks' },
      schema: {
        operationId: 'getWebhookEndpoint',
        summary: 'Read a webhook endpoint',
        description: 'One endpoint by id, without its secret.',
        params: EndpointParams,
        response: { 200: Envelope(WebhookEndpointBody) }
      }
    },
    (request) => request.inStore(async (ctx) => envelope(presentWebhookEndpoint(await endpointIn(ctx, request))))
  )
}
