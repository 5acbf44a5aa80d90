import { Type } from 'typebox'
import { invalidBody } from '#kit/refusal'
import { updateEndpoint } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { changedEventTypes, endpointDescription, endpointUrl } from '../../shared/webhook-fields.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { EndpointParams } from './endpoint-fields.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

const EndpointChange = Type.Object({
  url: Type.Optional(endpointUrl()),
  events: Type.Optional(changedEventTypes()),
  description: Type.Optional(endpointDescription())
})

/** PATCH /stores/{store}/webhooks/{endpoint} */
export function updateEndpointRoute(admin: Surface, { db, addresses }: AdminDeps): void {
  admin.patch(
    '/stores/:store/webhooks/:endpoint',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'updateWebhookEndpoint',
        summary: 'Update a webhook endpoint',
        description:
          'Changes the fields that are given. Deliveries that wait go to the new URL, and failures of the old one are forgotten.',
        params: EndpointParams,
        body: EndpointChange,
        response: { 200: EndpointBody }
      }
    },
    async (request) => {
      const { params, body } = request
      if (Object.keys(body).length === 0) throw invalidBody('must hold url, events or description', 'required')
      return presentEndpoint(await updateEndpoint(db, storeOf(request).storeId, params.endpoint, body, { addresses }))
    }
  )
}
