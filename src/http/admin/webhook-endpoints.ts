import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { invalidField, Refusal } from '#kit/refusal'
import { EVENT_TYPES } from '#resources'
import { requireStore } from '#stores'
import {
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  endRoll,
  findEndpoint,
  listEndpoints,
  rollSecret,
  sendSample,
  setEndpointStatus,
  updateEndpoint
} from '#webhooks'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams, text } from './fields.ts'
import { DeliveryDetailBody, presentDeliveryDetail } from './present-delivery.ts'

const EndpointBody = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  all_events: Type.Boolean(),
  description: Type.String(),
  status: Type.String(),
  disabled_reason: OrNull(Type.String()),
  disabled_at: OrNull(Type.String()),
  failing_since: OrNull(Type.String()),
  previous_secret_until: OrNull(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String()
})
const EndpointWithSecret = Type.Object({ ...EndpointBody.properties, secret: Type.String() })

const EndpointParams = Type.Object({
  ...StoreParams.properties,
  endpoint: Type.String({ description: 'a webhook endpoint id such as we_2' })
})

const TYPES = `a list of ${EVENT_TYPES.join(', ')}`
const eventTypes = () => Type.Array(Type.String({ maxLength: 50 }), { maxItems: 50, description: TYPES })
const description = () => Type.String({ maxLength: 500, description: 'a text of at most 500 characters' })
const url = () => text(2048, 'the https address of the receiver, of at most 2,048 characters')

/** The receivers of a store's events. A signing secret is in the answer that makes or rolls it and in no other. */
export function registerWebhookEndpoints(
  admin: Surface,
  { db, vault, addresses, wake }: Pick<HttpDeps, 'db' | 'vault' | 'addresses' | 'wake'>
): void {
  admin.post(
    '/stores/:store/webhooks',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          url: url(),
          events: Type.Optional(eventTypes()),
          description: Type.Optional(description())
        }),
        response: { 201: EndpointWithSecret }
      }
    },
    async (request, reply) => {
      const { storeId } = await requireStore(db, request.params.store)
      const made = await createEndpoint(db, storeId, request.body, { vault, addresses })
      return reply.code(201).send(presentWithSecret(made))
    }
  )

  admin.get(
    '/stores/:store/webhooks',
    { schema: { params: StoreParams, response: { 200: Type.Object({ data: Type.Array(EndpointBody) }) } } },
    async (request) => {
      const { storeId } = await requireStore(db, request.params.store)
      return { data: (await db.inStore(storeId, listEndpoints)).map(presentEndpoint) }
    }
  )

  admin.get(
    '/stores/:store/webhooks/:endpoint',
    { schema: { params: EndpointParams, response: { 200: EndpointBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      const endpoint = await db.inStore(storeId, (ctx) => findEndpoint(ctx, params.endpoint))
      if (!endpoint) throw new Refusal('not_found', `There is no webhook endpoint ${params.endpoint.slice(0, 100)}`)
      return presentEndpoint(endpoint)
    }
  )

  admin.patch(
    '/stores/:store/webhooks/:endpoint',
    {
      schema: {
        params: EndpointParams,
        body: Type.Object({
          url: Type.Optional(url()),
          events: Type.Optional(
            Type.Union([eventTypes(), Type.Null()], {
              description: `${TYPES}; or null for all, those to come included`
            })
          ),
          description: Type.Optional(description())
        }),
        response: { 200: EndpointBody }
      }
    },
    async ({ params, body }) => {
      if (Object.keys(body).length === 0) throw invalidField('The body', 'must hold url, events or description')
      const { storeId } = await requireStore(db, params.store)
      return presentEndpoint(await updateEndpoint(db, storeId, params.endpoint, body, { addresses }))
    }
  )

  admin.delete(
    '/stores/:store/webhooks/:endpoint',
    {
      schema: {
        params: EndpointParams,
        response: { 200: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }) }
      }
    },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      await db.inStore(storeId, (ctx) => deleteEndpoint(ctx, params.endpoint))
      return { id: params.endpoint, deleted: true as const }
    }
  )

  admin.post(
    '/stores/:store/webhooks/:endpoint/enable',
    { schema: { params: EndpointParams, body: Type.Object({}), response: { 200: EndpointBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      return presentEndpoint(await db.inStore(storeId, (ctx) => setEndpointStatus(ctx, params.endpoint, 'enabled')))
    }
  )

  admin.post(
    '/stores/:store/webhooks/:endpoint/disable',
    {
      schema: {
        params: EndpointParams,
        body: Type.Object({ reason: Type.Optional(text(200)) }),
        response: { 200: EndpointBody }
      }
    },
    async ({ params, body }) => {
      const { storeId } = await requireStore(db, params.store)
      return presentEndpoint(
        await db.inStore(storeId, (ctx) => setEndpointStatus(ctx, params.endpoint, 'disabled', body.reason))
      )
    }
  )

  admin.post(
    '/stores/:store/webhooks/:endpoint/roll',
    {
      schema: {
        params: EndpointParams,
        body: Type.Object({
          overlap: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 168,
              description: 'a whole number of hours from 0 to 168 for which the old secret signs too (default: 24)'
            })
          )
        }),
        response: { 200: EndpointWithSecret }
      }
    },
    async ({ params, body }) => {
      const { storeId } = await requireStore(db, params.store)
      return presentWithSecret(
        await db.inStore(storeId, (ctx) => rollSecret(ctx, params.endpoint, { vault }, body.overlap))
      )
    }
  )

  admin.post(
    '/stores/:store/webhooks/:endpoint/end-roll',
    { schema: { params: EndpointParams, body: Type.Object({}), response: { 200: EndpointBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      return presentEndpoint(await db.inStore(storeId, (ctx) => endRoll(ctx, params.endpoint)))
    }
  )

  admin.post(
    '/stores/:store/webhooks/:endpoint/test',
    {
      schema: {
        params: EndpointParams,
        body: Type.Object({ event: text(50, `one of ${EVENT_TYPES.join(', ')}`) }),
        response: { 202: DeliveryDetailBody }
      }
    },
    async ({ params, body }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const queued = await db.inStore(storeId, (ctx) => sendSample(ctx, params.endpoint, body.event))
      wake(storeId)
      return reply.code(202).send(presentDeliveryDetail(queued))
    }
  )
}

function presentEndpoint(endpoint: Endpoint): Static<typeof EndpointBody> {
  return {
    id: endpoint.id,
    kind: endpoint.kind,
    url: endpoint.url,
    events: endpoint.events ?? [...EVENT_TYPES],
    all_events: endpoint.events === null,
    description: endpoint.description,
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    disabled_at: isoOrNull(endpoint.disabledAt),
    failing_since: isoOrNull(endpoint.failingSince),
    previous_secret_until: isoOrNull(endpoint.previousSecretUntil),
    created_at: isoOf(endpoint.createdAt),
    updated_at: isoOf(endpoint.updatedAt)
  }
}

const presentWithSecret = ({ secret, ...endpoint }: Endpoint & { secret: string }) => ({
  ...presentEndpoint(endpoint),
  secret
})
