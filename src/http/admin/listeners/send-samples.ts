import { Type } from 'typebox'
import { triggerSample } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { eventType } from '../../shared/webhook-fields.ts'
import { DeliveryBody, presentDelivery } from '../deliveries/present-delivery.ts'
import { StoreParams } from '../store.ts'

const SentSamples = Type.Object({
  event: Type.String({ description: 'The event type', examples: ['billing.failed'] }),
  listeners_only: Type.Boolean({
    description: 'True in a live store, whose endpoints get no samples',
    examples: [false]
  }),
  data: Type.Array(DeliveryBody, { description: 'The deliveries, which are not sent yet' })
})

/** POST /stores/{store}/webhook-samples */
export function sendSamplesRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/webhook-samples',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'sendWebhookSamples',
        summary: 'Send samples of an event type',
        description:
          'Sends a realistic sample to everything that receives the type: in a sandbox store to endpoints and listeners, in a live store to listeners only.',
        params: StoreParams,
        body: Type.Object({ event: eventType() }),
        response: { 202: SentSamples }
      }
    },
    async (request, reply) => {
      const { event } = request.body
      const { deliveries, terminalsOnly } = await request.inStore((ctx) => triggerSample(ctx, event))
      return reply.code(202).send({ event, listeners_only: terminalsOnly, data: deliveries.map(presentDelivery) })
    }
  )
}
