import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { EVENT_TYPES } from '#kit/outbox'
import { theStore } from '#stores'
import { createEndpoint, type Endpoint, listEndpoints } from '#webhooks'
import type { HttpDeps } from '../deps.ts'
import type { Surface } from '../surface.ts'
import { OrNull, StoreParams, text } from './fields.ts'

const EndpointBody = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Type.String(),
  status: Type.String(),
  disabled_reason: OrNull(Type.String()),
  failing_since: OrNull(Type.String()),
  created_at: Type.String()
})

/** The receivers of a store's events. A receiver's signing secret is in the answer that makes it and in no other. */
export function registerWebhookEndpoints(
  admin: Surface,
  { db, vault, addresses }: Pick<HttpDeps, 'db' | 'vault' | 'addresses'>
): void {
  admin.post(
    '/stores/:store/webhooks',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          url: text(2000, 'the https address of the receiver'),
          events: Type.Optional(
            Type.Array(Type.String({ maxLength: 50 }), {
              maxItems: 50,
              description: `a list of ${EVENT_TYPES.join(', ')}`
            })
          ),
          description: Type.Optional(Type.String({ maxLength: 500, description: 'a text of at most 500 characters' }))
        }),
        response: { 201: Type.Object({ ...EndpointBody.properties, secret: Type.String() }) }
      }
    },
    async (request, reply) => {
      const { storeId } = await theStore(db, request.params.store)
      const { secret, ...endpoint } = await createEndpoint(db, storeId, request.body, { vault, addresses })
      return reply.code(201).send({ ...presentEndpoint(endpoint), secret })
    }
  )

  admin.get(
    '/stores/:store/webhooks',
    { schema: { params: StoreParams, response: { 200: Type.Object({ data: Type.Array(EndpointBody) }) } } },
    async (request) => {
      const { storeId } = await theStore(db, request.params.store)
      return { data: (await db.inStore(storeId, listEndpoints)).map(presentEndpoint) }
    }
  )
}

function presentEndpoint(endpoint: Endpoint): Static<typeof EndpointBody> {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events ?? [...EVENT_TYPES],
    description: endpoint.description,
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    failing_since: isoOrNull(endpoint.failingSince),
    created_at: isoOf(endpoint.createdAt)
  }
}
