import { Type } from 'typebox'
import { invalidBody } from '#kit/refusal'
import { WebhookEndpointBody } from '#resources'
import { changeEndpoint, checkEndpointChanges } from '#webhooks'
import { replayed } from '../../shared/idempotency.ts'
import type { Surface } from '../../shared/surface.ts'
import { changedEventTypes, endpointDescription, endpointUrl } from '../../shared/webhook-fields.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope } from '../envelope.ts'
import { changedEndpoint, EndpointParams, endpointIn } from './one-endpoint.ts'

const EndpointChange = Type.Object(
  {
    url: Type.Optional(endpointUrl()),
    events: Type.Optional(changedEventTypes()),
    description: Type.Optional(endpointDescription())
  },
  { minProperties: 1 }
)

/** PATCH /webhook-endpoints/{endpoint_id}: ours. */
export function updateWebhookEndpointRoute(rest: Surface, { db, addresses }: RestDeps): void {
  rest.patch(
    '/webhook-endpoints/:endpoint_id',
    {
      config: { allow: 'write:webhooks' },
      schema: {
        operationId: 'updateWebhookEndpoint',
        summary: 'Update a webhook endpoint',
        description:
          'Changes the fields that are given. Deliveries that wait go to the new URL, and failures of the old one are forgotten.',
        params: EndpointParams,
        body: EndpointChange,
        response: { 200: Envelope(WebhookEndpointBody) }
      }
    },
    async (request, reply) => {
      const { storeId } = callerOf(request)
      const { body } = request
      if (Object.keys(body).length === 0) throw invalidBody('must hold url, events or description', 'required')
      const earlier = await replayed<Awaited<ReturnType<typeof changedEndpoint>>>(request, reply)
      if (earlier) return earlier
      const { id } = await request.inStore((ctx) => endpointIn(ctx, request))
      // The name in the URL is resolved before the transaction, which must not wait for it.
      const checked = await checkEndpointChanges(db, storeId, id, body, { addresses })
      return changedEndpoint(request, reply, (ctx) => changeEndpoint(ctx, id, checked))
    }
  )
}
