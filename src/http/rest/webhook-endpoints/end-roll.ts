import { Type } from 'typebox'
import { WebhookEndpointBody } from '#resources'
import { endRoll } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedEndpoint, EndpointParams } from './one-endpoint.ts'

/** POST /webhook-endpoints/{endpoint_id}/end-roll: ours. */
export function endWebhookSecretRollRoute(rest: Surface): void {
  rest.post(
    '/webhook-endpoints/:endpoint_id/end-roll',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'endWebhookSecretRoll',
        summary: 'End the overlap of two secrets',
        description: 'From now on only the new secret signs, in `X-Svc-Signature`. Without an overlap nothing changes.',
        params: EndpointParams,
        body: Type.Object({}),
        response: { 200: Envelope(WebhookEndpointBody) }
      }
    },
    (request, reply) => changedEndpoint(request, reply, (ctx, id) => endRoll(ctx, id))
  )
}
