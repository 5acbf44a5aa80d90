import { Type } from 'typebox'
import { WebhookEndpointBody } from '#resources'
import { listUrlEndpoints } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { Envelope, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { presentWebhookEndpoint } from '../present-webhook-endpoint.ts'

/** GET /webhook-endpoints: ours, so that a receiver manages itself. */
export function listWebhookEndpointsRoute(rest: Surface): void {
  rest.get(
    '/webhook-endpoints',
    {
      config: { allow: 'read:webhooks' },
      schema: {
        operationId: 'listWebhookEndpoints',
        summary: 'List webhook endpoints',
        description: 'Newest first.',
        querystring: Type.Object(PagingFields),
        response: { 200: Envelope(Type.Array(WebhookEndpointBody)) }
      }
    },
    async (request) => {
      const paging = pagingOf(request.query)
      const { rows, total } = await request.inStore((ctx) => listUrlEndpoints(ctx, paging))
      return pageEnvelope(rows.map(presentWebhookEndpoint), total, paging)
    }
  )
}
