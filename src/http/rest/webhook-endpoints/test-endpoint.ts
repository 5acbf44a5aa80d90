import { Type } from 'typebox'
import { WebhookDeliveryDetailBody } from '#resources'
import { sendSample } from '#webhooks'
import { withIdempotency } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { eventType } from '../../shared/webhook-fields.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentWebhookDeliveryDetail } from '../present-webhook-endpoint.ts'
import { EndpointParams, endpointIn } from './one-endpoint.ts'

/** POST /webhook-endpoints/{endpoint_id}/test: ours. */
export function testWebhookEndpointRoute(rest: Surface): void {
  rest.post(
    '/webhook-endpoints/:endpoint_id/test',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'testWebhookEndpoint',
        summary: 'Send a sample to a webhook endpoint',
        description:
          'Sends a realistic sample once, also of a type that it does not receive. The delivery is not sent yet: read it until its `status` is no longer `retrying`.',
        params: EndpointParams,
        body: Type.Object({ event: eventType() }),
        response: { 200: Envelope(WebhookDeliveryDetailBody) },
        responseExample: {
          test: true,
          status: 'retrying',
          tries: 0,
          response_code: null,
          response_time_ms: null,
          finished_at: null,
          history: []
        }
      }
    },
    (request, reply) =>
      withIdempotency(request, reply, async (ctx) => {
        const { id } = await endpointIn(ctx, request)
        return envelope(presentWebhookDeliveryDetail(await sendSample(ctx, id, request.body.event)))
      })
  )
}
