import { Type } from 'typebox'
import { endRoll } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { EndpointParams } from './endpoint-fields.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

/** POST /stores/{store}/webhooks/{endpoint}/end-roll */
export function endRollRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/webhooks/:endpoint/end-roll',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'endWebhookSecretRoll',
        summary: 'End the overlap of two secrets',
        description: 'From now on only the new secret signs, in `X-Svc-Signature`. Without an overlap nothing changes.',
        params: EndpointParams,
        body: Type.Object({}),
        response: { 200: EndpointBody }
      }
    },
    async (request) => presentEndpoint(await request.inStore((ctx) => endRoll(ctx, request.params.endpoint)))
  )
}
