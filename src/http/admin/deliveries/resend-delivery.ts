import { Type } from 'typebox'
import { resendDelivery } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { DeliveryParams } from './delivery-params.ts'
import { DeliveryDetailBody, presentDeliveryDetail } from './present-delivery.ts'

/** POST /stores/{store}/webhook-deliveries/{webhook_id}/resend */
export function resendDeliveryRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/webhook-deliveries/:webhook_id/resend',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'resendWebhookDelivery',
        summary: 'Resend a webhook delivery',
        description: 'Sends it again under the same `webhook_id`. The response shows it as it waits to be sent.',
        params: DeliveryParams,
        body: Type.Object({}),
        response: { 202: DeliveryDetailBody }
      }
    },
    async (request, reply) => {
      const delivery = await request.inStore((ctx) => resendDelivery(ctx, request.params.webhook_id))
      return reply.code(202).send(presentDeliveryDetail(delivery))
    }
  )
}
