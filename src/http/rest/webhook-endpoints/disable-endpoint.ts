import { Type } from 'typebox'
import { WebhookEndpointBody } from '#resources'
import { setEndpointStatus } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { disabledReason } from '../../shared/webhook-fields.ts'
import { Envelope } from '../envelope.ts'
import { changedEndpoint, EndpointParams } from './one-endpoint.ts'

/** POST /webhook-endpoints/{endpoint_id}/disable: ours. */
export function disableWebhookEndpointRoute(rest: Surface): void {
  rest.post(
    '/webhook-endpoints/:endpoint_id/disable',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'disableWebhookEndpoint',
        summary: 'Disable a webhook endpoint',
        description: 'Deliveries that wait for it are cancelled.',
        params: EndpointParams,
        body: Type.Object({ reason: Type.Optional(disabledReason()) }),
        response: { 200: Envelope(WebhookEndpointBody) },
        responseExample: {
          status: 'disabled',
          disabled_reason: 'Moving to another host',
          disabled_at: '2027-04-11T00:00:00.000Z'
        }
      }
    },
    (request, reply) =>
      changedEndpoint(request, reply, (ctx, id) => setEndpointStatus(ctx, id, 'disabled', request.body.reason))
  )
}
