import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { OrNull, Timestamp } from '#resources'
import { requireStore } from '#stores'
import { type LoggedChange, listChangesOfRequest, listLoggedChanges } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { Before, Page, PageLimit, pageOf } from '../fields.ts'

const ChangeBody = Type.Object(
  {
    id: Type.Integer({ description: 'The number of the change' }),
    changed_at: Timestamp('When it was asked for, in real time'),
    person: OrNull(
      Type.Object(
        { id: Type.String({ description: 'The id' }), name: Type.String({ description: 'The name at that time' }) },
        { description: 'Who asked; null for the operator token' }
      )
    ),
    operation: Type.String({ description: 'What was asked for, as this document names it' }),
    path: Type.String({ description: 'The path that was called' }),
    store: OrNull(Type.String({ description: 'The store that the path names' })),
    fields: Type.Array(Type.String(), { description: 'The fields that were sent, without their values' }),
    ip_address: Type.String({ description: 'From where' }),
    user_agent: OrNull(Type.String({ description: 'With which program' })),
    request_id: Type.String({ description: 'The `X-Request-Id` of the response' }),
    status: OrNull(Type.Integer({ description: 'The status of the response; null while there is none' }))
  },
  {
    title: 'Change',
    description: 'A change that somebody asked for.',
    examples: [
      {
        id: 812,
        changed_at: '2026-11-30T09:00:00.000Z',
        person: { id: '34a7cd32-4414-4555-b1f7-f7fa244b78b5', name: 'Ada Lovelace' },
        operation: 'pauseSubscription',
        path: '/admin/api/stores/store_2/subscriptions/sub_42/pause',
        store: 'store_2',
        fields: ['until'],
        ip_address: '192.0.2.1',
        user_agent: 'perennial/0.1.0',
        request_id: '0e7bd4f0-9bb4-4f46-9b3c-2f4ec3a3f0a1',
        status: 200
      }
    ]
  }
)

const presentChange = (change: LoggedChange) => ({
  id: change.id,
  changed_at: isoOf(change.changedAt),
  person: change.personId === null ? null : { id: change.personId, name: change.personName ?? '' },
  operation: change.operation,
  path: change.path,
  store: change.storeNumber === null ? null : publicId('store', change.storeNumber),
  fields: change.fields,
  ip_address: change.ipAddress,
  user_agent: change.userAgent,
  request_id: change.requestId,
  status: change.status
})

/** GET /changes */
export function listChangesRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/changes',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'listChanges',
        summary: 'List changes',
        description:
          'What people and programs changed by this API, newest first: who, when, what, from where. With them is how they were answered; what was refused for want of a permission or for its fields is none.',
        querystring: Type.Object({
          store: Type.Optional(
            Type.String({
              maxLength: 255,
              description: 'a store id or domain',
              meaning: 'Only changes in this store',
              examples: ['store_2']
            })
          ),
          request: Type.Optional(
            Type.String({
              maxLength: 100,
              description: 'the id of a request',
              meaning: 'Only what the request with this `X-Request-Id` changed',
              examples: ['0e7bd4f0-9bb4-4f46-9b3c-2f4ec3a3f0a1']
            })
          ),
          limit: PageLimit,
          before: Before('a change', 'older ones', 812)
        }),
        response: { 200: Page(ChangeBody, 'The changes') }
      }
    },
    async ({ query }) => {
      const { limit = 50, before = null, request: requestId } = query
      const storeNumber = query.store === undefined ? null : (await requireStore(db, query.store)).storeId
      if (requestId !== undefined) {
        const found = await listChangesOfRequest(db, requestId)
        const wanted = found.filter((change) => storeNumber === null || change.storeNumber === storeNumber)
        return { data: wanted.map(presentChange), next: null }
      }
      return pageOf(await listLoggedChanges(db, { storeNumber, before, limit: limit + 1 }), limit, presentChange)
    }
  )
}
