import { Type } from 'typebox'
import { WebhookDeliveryBody } from '#resources'
import { listEndpointDeliveries } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { Envelope, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { presentWebhookDelivery } from '../present-webhook-endpoint.ts'
import { EndpointParams, endpointIn } from './one-endpoint.ts'

const DeliveryStatus = Type.Union([Type.Literal('delivered'), Type.Literal('retrying'), Type.Literal('failed')], {
  description: 'delivered, retrying or failed',
  meaning: 'Deliveries with this status'
})

/** GET /webhook-endpoints/{endpoint_id}/deliveries: ours. */
export function listWebhookDeliveriesRoute(rest: Surface): void {
  rest.get(
    '/webhook-endpoints/:endpoint_id/deliveries',
    {
      config: { allow: 'read:webhooks' },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the deliveries of a webhook endpoint',
        description: 'Newest first, as far back as the history goes (30 days, unless the operator sets another time).',
        params: EndpointParams,
        querystring: Type.Object({ ...PagingFields, status: Type.Optional(DeliveryStatus) }),
        response: { 200: Envelope(Type.Array(WebhookDeliveryBody)) }
      }
    },
    async (request) => {
      const paging = pagingOf(request.query)
      const { rows, total } = await request.inStore(async (ctx) => {
        const { id } = await endpointIn(ctx, request)
        return listEndpointDeliveries(ctx, id, { ...paging, status: request.query.status })
      })
      return pageEnvelope(rows.map(presentWebhookDelivery), total, paging)
    }
  )
}
