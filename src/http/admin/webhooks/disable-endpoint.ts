import { Type } from 'typebox'
import { setEndpointStatus } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { disabledReason } from '../../shared/webhook-fields.ts'
import { EndpointParams } from './endpoint-fields.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

const DisableBody = Type.Object({
  reason: Type.Optional(disabledReason())
})

/** POST /stores/{store}/webhooks/{endpoint}/disable */
export function disableEndpointRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/webhooks/:endpoint/disable',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'disableWebhookEndpoint',
        summary: 'Disable a webhook endpoint',
        description: 'Deliveries that wait for it are cancelled.',
        params: EndpointParams,
        body: DisableBody,
        response: { 200: EndpointBody }
      }
    },
    async (request) => {
      const { params, body } = request
      return presentEndpoint(
        await request.inStore((ctx) => setEndpointStatus(ctx, params.endpoint, 'disabled', body.reason))
      )
    }
  )
}
