import { Type } from 'typebox'
import { sendSample } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { eventType } from '../../shared/webhook-fields.ts'
import { DeliveryDetailBody, presentDeliveryDetail } from '../deliveries/present-delivery.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { EndpointParams } from './endpoint-fields.ts'

/** POST /stores/{store}/webhooks/{endpoint}/test */
export function testEndpointRoute(admin: Surface, { wake }: AdminDeps): void {
  admin.post(
    '/stores/:store/webhooks/:endpoint/test',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'testWebhookEndpoint',
        summary: 'Send a sample to a webhook endpoint',
        description:
          'Sends a realistic sample once, also of a type that it does not receive. The delivery is not sent yet: read it until its `status` is no longer `retrying`.',
        params: EndpointParams,
        body: Type.Object({ event: eventType() }),
        response: { 202: DeliveryDetailBody }
      }
    },
    async (request, reply) => {
      const { params, body } = request
      const queued = await request.inStore((ctx) => sendSample(ctx, params.endpoint, body.event))
      wake(storeOf(request).storeId)
      return reply.code(202).send(presentDeliveryDetail(queued))
    }
  )
}
