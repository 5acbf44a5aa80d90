import { Type } from 'typebox'
import { WebhookDeliveryDetailBody } from '#resources'
import { resendDelivery } from '#webhooks'
import { withIdempotency } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentWebhookDeliveryDetail } from '../present-webhook-endpoint.ts'
import { DeliveryParams, deliveryIn } from './one-delivery.ts'

/** POST /webhook-deliveries/{delivery_id}/resend: ours. */
export function resendWebhookDeliveryRoute(rest: Surface): void {
  rest.post(
    '/webhook-deliveries/:delivery_id/resend',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'resendWebhookDelivery',
        summary: 'Resend a webhook delivery',
        description:
          'Sends it again under the same `webhook_id`. The response shows it as it waits to be sent. Not to a disabled endpoint.',
        params: DeliveryParams,
        body: Type.Object({}),
        response: { 200: Envelope(WebhookDeliveryDetailBody) },
        responseExample: { status: 'retrying', next_try_at: '2027-02-28T10:00:00.000Z', finished_at: null }
      }
    },
    (request, reply) =>
      withIdempotency(request, reply, async (ctx) => {
        const { webhookId } = await deliveryIn(ctx, request)
        return envelope(presentWebhookDeliveryDetail(await resendDelivery(ctx, webhookId)))
      })
  )
}
