import { DeletedWebhookEndpointBody } from '#resources'
import { deleteEndpoint } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { EndpointParams } from './endpoint-fields.ts'

/** DELETE /stores/{store}/webhooks/{endpoint} */
export function deleteEndpointRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/webhooks/:endpoint',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Deliveries that wait for it are cancelled. Its history stays.',
        params: EndpointParams,
        response: { 200: DeletedWebhookEndpointBody }
      }
    },
    async (request) => {
      const { endpoint: id } = request.params
      await request.inStore((ctx) => deleteEndpoint(ctx, id))
      return { id, deleted: true as const }
    }
  )
}
