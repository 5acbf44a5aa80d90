import { Type } from 'typebox'
import { deleteEndpoint } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { EndpointParams } from './endpoint-fields.ts'

const DeletedEndpoint = Type.Object(
  {
    id: Type.String({ description: 'The endpoint id' }),
    deleted: Type.Literal(true, { description: 'Always true' })
  },
  {
    title: 'DeletedWebhookEndpoint',
    description: 'A deleted endpoint.',
    examples: [{ id: 'we_2', deleted: true }]
  }
)

/** DELETE /stores/{store}/webhooks/{endpoint} */
export function deleteEndpointRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/webhooks/:endpoint',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Deliveries that wait for it are cancelled. Its history stays.',
        params: EndpointParams,
        response: { 200: DeletedEndpoint }
      }
    },
    async (request) => {
      const { endpoint: id } = request.params
      await request.inStore((ctx) => deleteEndpoint(ctx, id))
      return { id, deleted: true as const }
    }
  )
}
