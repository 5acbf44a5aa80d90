import { Type } from 'typebox'
import { WebhookEndpointBody } from '#resources'
import { setEndpointStatus } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedEndpoint, EndpointParams } from './one-endpoint.ts'

/** POST /webhook-endpoints/{endpoint_id}/enable: ours. */
export function enableWebhookEndpointRoute(rest: Surface): void {
  rest.post(
    '/webhook-endpoints/:endpoint_id/enable',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'enableWebhookEndpoint',
        summary: 'Enable a webhook endpoint',
        description: 'It receives events from the next one on. Read what it missed meanwhile from the list of events.',
        params: EndpointParams,
        body: Type.Object({}),
        response: { 200: Envelope(WebhookEndpointBody) }
      }
    },
    (request, reply) => changedEndpoint(request, reply, (ctx, id) => setEndpointStatus(ctx, id, 'enabled'))
  )
}
