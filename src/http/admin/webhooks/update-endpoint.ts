import { Type } from 'typebox'
import { invalidBody } from '#kit/refusal'
import { EVENT_TYPES, updateEndpoint } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { eventTypes } from '../event-types.ts'
import { storeOf } from '../store.ts'
import { description, EndpointParams, url } from './endpoint-fields.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

const EndpointChange = Type.Object({
  url: Type.Optional(url()),
  events: Type.Optional(
    Type.Union([eventTypes({}), Type.Null()], {
      description: `a list of ${EVENT_TYPES.join(', ')}; or null for all, those to come included`,
      meaning: 'What it receives',
      examples: [['billing.failed']]
    })
  ),
  description: Type.Optional(description())
})

/** PATCH /stores/{store}/webhooks/{endpoint} */
export function updateEndpointRoute(admin: Surface, { db, addresses }: AdminDeps): void {
  admin.patch(
    '/stores/:store/webhooks/:endpoint',
    {
      config: { allow: 'operator' },
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
