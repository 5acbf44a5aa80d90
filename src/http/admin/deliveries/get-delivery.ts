import { Refusal } from '#kit/refusal'
import { findDelivery } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { DeliveryParams } from './delivery-params.ts'
import { DeliveryDetailBody, presentDeliveryDetail } from './present-delivery.ts'

/** GET /stores/{store}/webhook-deliveries/{webhook_id} */
export function getDeliveryRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/webhook-deliveries/:webhook_id',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'Read a webhook delivery',
        description: 'One delivery with its payload and every try.',
        params: DeliveryParams,
        response: { 200: DeliveryDetailBody }
      }
    },
    async (request) => {
      const { webhook_id: id } = request.params
      const delivery = await request.inStore((ctx) => findDelivery(ctx, id))
      if (!delivery) throw new Refusal('not_found', `There is no webhook delivery ${id.slice(0, 100)}`)
      return presentDeliveryDetail(delivery)
    }
  )
}
