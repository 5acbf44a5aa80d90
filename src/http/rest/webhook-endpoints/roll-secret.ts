import { Type } from 'typebox'
import { WebhookEndpointWithSecretBody } from '#resources'
import { rollSecret } from '#webhooks'
import { withIdempotency } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { rollOverlap } from '../../shared/webhook-fields.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope } from '../envelope.ts'
import { EndpointParams, endpointIn } from './one-endpoint.ts'
import { keepSealed, withSecret } from './sealed-secret.ts'

/** POST /webhook-endpoints/{endpoint_id}/roll: ours. */
export function rollWebhookSecretRoute(rest: Surface, { vault }: RestDeps): void {
  rest.post(
    '/webhook-endpoints/:endpoint_id/roll',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'rollWebhookSecret',
        summary: 'Roll the signing secret',
        description:
          'Creates a new secret, which is only in this response. During the overlap both secrets sign. Rolling again before it is over replaces the new secret and keeps the old one.',
        params: EndpointParams,
        body: Type.Object({ overlap: Type.Optional(rollOverlap()) }),
        response: { 200: Envelope(WebhookEndpointWithSecretBody) },
        responseExample: { previous_secret_until: '2027-04-12T00:00:00.000Z' }
      }
    },
    (request, reply) =>
      withIdempotency(
        request,
        reply,
        async (ctx) => {
          const { id } = await endpointIn(ctx, request)
          return withSecret(await rollSecret(ctx, id, { vault }, request.body.overlap))
        },
        keepSealed(vault, callerOf(request).storeId)
      )
  )
}
