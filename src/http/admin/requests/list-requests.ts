import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { type ApiRequest, findApiRequest, listApiRequests } from '#requests'
import { OrNull, Timestamp } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Before, Page, PageLimit, pageOf, text } from '../fields.ts'
import { StoreParams } from '../store.ts'

const RequestBody = Type.Object(
  {
    id: Type.Integer({ description: 'The number of the request' }),
    request_id: Type.String({ description: 'The `X-Request-Id` of its response' }),
    requested_at: Timestamp('When it was answered, in real time'),
    method: Type.String({ description: 'The method' }),
    path: Type.String({ description: 'The path and its parameters; what may be personal or secret is hidden' }),
    status: Type.Integer({ description: 'The status of the response' }),
    duration_ms: Type.Integer({ description: 'How long the response took, in milliseconds' }),
    key: OrNull(
      Type.Object(
        { id: Type.String({ description: 'The id' }), name: OrNull(Type.String({ description: 'The name' })) },
        { description: 'The API key; null where the app proxy or a customer asked' }
      )
    )
  },
  {
    title: 'ApiRequest',
    description: 'A request to the APIs of the store.',
    examples: [
      {
        id: 4711,
        request_id: '0e7bd4f0-9bb4-4f46-9b3c-2f4ec3a3f0a1',
        requested_at: '2026-11-30T09:00:00.000Z',
        method: 'POST',
        path: '/v1/store-credits/cust_24/add',
        status: 200,
        duration_ms: 12,
        key: { id: 'key_3', name: 'Warehouse' }
      }
    ]
  }
)

/** GET /stores/{store}/requests */
export function listRequestsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/requests',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listRequests',
        summary: 'List API requests',
        description:
          'The requests to the APIs of the store that changed something or were refused in the last seven days, newest first. They appear within seconds. Reads that worked are not listed, nor requests beyond the rate limit (429).',
        params: StoreParams,
        querystring: Type.Object({
          request: Type.Optional(
            text(100, 'the id of a request', {
              meaning: 'Only the request with this `X-Request-Id`',
              examples: ['0e7bd4f0-9bb4-4f46-9b3c-2f4ec3a3f0a1']
            })
          ),
          limit: PageLimit,
          before: Before('a request', 'older ones', 4711)
        }),
        response: { 200: Page(RequestBody, 'The requests') }
      }
    },
    async (request) => {
      const { limit = 50, before = Number.MAX_SAFE_INTEGER, request: requestId } = request.query
      if (requestId !== undefined) {
        const one = await request.inStore((ctx) => findApiRequest(ctx, requestId))
        return { data: one ? [presentRequest(one)] : [], next: null }
      }
      const found = await request.inStore((ctx) => listApiRequests(ctx, { before, limit: limit + 1 }))
      return pageOf(found, limit, presentRequest)
    }
  )
}

const presentRequest = (request: ApiRequest) => ({
  id: request.id,
  request_id: request.requestId,
  requested_at: isoOf(request.requestedAt),
  method: request.method,
  path: request.path,
  status: request.status,
  duration_ms: request.durationMs,
  key: request.keyId === null ? null : { id: publicId('key', request.keyId), name: request.keyName }
})
