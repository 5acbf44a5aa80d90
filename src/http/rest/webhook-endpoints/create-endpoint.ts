import { Type } from 'typebox'
import { WebhookEndpointWithSecretBody } from '#resources'
import { addEndpoint, checkNewEndpoint } from '#webhooks'
import { replayed, withIdempotency } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { endpointDescription, endpointUrl, eventTypes } from '../../shared/webhook-fields.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope } from '../envelope.ts'
import { keepSealed, withSecret } from './sealed-secret.ts'

const NewEndpoint = Type.Object({
  url: endpointUrl(),
  events: Type.Optional(eventTypes({ meaning: 'What it receives; every type without them' })),
  description: Type.Optional(endpointDescription())
})

/** POST /webhook-endpoints: ours. */
export function createWebhookEndpointRoute(rest: Surface, { db, vault, addresses }: RestDeps): void {
  rest.post(
    '/webhook-endpoints',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'createWebhookEndpoint',
        summary: 'Create a webhook endpoint',
        description:
          'Registers an endpoint. Its signing secret is only in this response. It receives what occurs from then on.',
        body: NewEndpoint,
        response: { 200: Envelope(WebhookEndpointWithSecretBody) }
      }
    },
    async (request, reply) => {
      const { storeId } = callerOf(request)
      const keeping = keepSealed(vault, storeId)
      const earlier = await replayed(request, reply, keeping)
      if (earlier) return earlier
      const checked = await checkNewEndpoint(db, storeId, request.body, { addresses })
      return withIdempotency(
        request,
        reply,
        async (ctx) => withSecret(await addEndpoint(ctx, checked, { vault })),
        keeping
      )
    }
  )
}
