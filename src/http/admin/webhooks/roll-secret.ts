import { Type } from 'typebox'
import { rollSecret } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { rollOverlap } from '../../shared/webhook-fields.ts'
import type { AdminDeps } from '../deps.ts'
import { EndpointParams } from './endpoint-fields.ts'
import { EndpointWithSecret, presentWithSecret } from './present-endpoint.ts'

const RollBody = Type.Object({ overlap: Type.Optional(rollOverlap()) })

/** POST /stores/{store}/webhooks/{endpoint}/roll */
export function rollSecretRoute(admin: Surface, { vault }: AdminDeps): void {
  admin.post(
    '/stores/:store/webhooks/:endpoint/roll',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'rollWebhookSecret',
        summary: 'Roll the signing secret',
        description:
          'Creates a new secret, which is only in this response. During the overlap both secrets sign. Rolling again before it is over replaces the new secret and keeps the old one.',
        params: EndpointParams,
        body: RollBody,
        response: { 200: EndpointWithSecret }
      }
    },
    async (request) => {
      const { params, body } = request
      return presentWithSecret(
        await request.inStore((ctx) => rollSecret(ctx, params.endpoint, { vault }, body.overlap))
      )
    }
  )
}
