import { Type } from 'typebox'
import { createEndpoint } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { endpointDescription, endpointUrl, eventTypes } from '../../shared/webhook-fields.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { EndpointWithSecret, presentWithSecret } from './present-endpoint.ts'

/** POST /stores/{store}/webhooks */
export function createEndpointRoute(admin: Surface, { db, vault, addresses }: AdminDeps): void {
  admin.post(
    '/stores/:store/webhooks',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'createWebhookEndpoint',
        summary: 'Register a webhook endpoint',
        description: 'Registers an endpoint. Its signing secret is only in this response.',
        params: StoreParams,
        body: Type.Object({
          url: endpointUrl(),
          events: Type.Optional(eventTypes({ meaning: 'What it receives; every type without them' })),
          description: Type.Optional(endpointDescription())
        }),
        response: { 201: EndpointWithSecret }
      }
    },
    async (request, reply) => {
      const created = await createEndpoint(db, storeOf(request).storeId, request.body, { vault, addresses })
      return reply.code(201).send(presentWithSecret(created))
    }
  )
}
