import { WebhookDeliveryDetailBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentWebhookDeliveryDetail } from '../present-webhook-endpoint.ts'
import { DeliveryParams, deliveryIn } from './one-delivery.ts'

/** GET /webhook-deliveries/{delivery_id}: ours. */
export function getWebhookDeliveryRoute(rest: Surface): void {
  rest.get(
    '/webhook-deliveries/:delivery_id',
    {
      config: { allow: 'read:webhooks' },
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'Read a webhook delivery',
        description: 'One delivery with its body and every attempt.',
        params: DeliveryParams,
        response: { 200: Envelope(WebhookDeliveryDetailBody) }
      }
    },
    (request) => request.inStore(async (ctx) => envelope(presentWebhookDeliveryDetail(await deliveryIn(ctx, request))))
  )
}
