import { DeletedWebhookEndpointBody } from '#resources'
import { deleteEndpoint } from '#webhooks'
import { withIdempotency } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { Envelope, envelope } from '../envelope.ts'
import { EndpointParams, endpointIn } from './one-endpoint.ts'

/** DELETE /webhook-endpoints/{endpoint_id}: ours. */
export function deleteWebhookEndpointRoute(rest: Surface): void {
  rest.delete(
    '/webhook-endpoints/:endpoint_id',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Deliveries that wait for it are cancelled. Its history stays with the operator.',
        params: EndpointParams,
        response: { 200: Envelope(DeletedWebhookEndpointBody) }
      }
    },
    (request, reply) =>
      withIdempotency(request, reply, async (ctx) => {
        const { id } = await endpointIn(ctx, request)
        await deleteEndpoint(ctx, id)
        return envelope({ id, deleted: true as const })
      })
  )
}
