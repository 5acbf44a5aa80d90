import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { invalidField } from '#kit/refusal'
import { parseCustomerId } from '#members'
import { OrNull, Timestamp } from '#resources'
import { EVENT_TYPES, type LoggedEvent, listEvents, listLatestEvents } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { oneOf, PageLimit, text } from '../fields.ts'
import { requestStoreOf, StoreParams } from '../store.ts'

const DEFAULT_LIMIT = 50
const MAX_SEQUENCE = 999_999_999_999_999

const EventBody = Type.Object(
  {
    id: Type.String({ description: 'The event id, `evt_812`' }),
    sequence: Type.Integer({ description: 'Its place among the events of the store, `X-Svc-Sequence`' }),
    event: Type.String({ description: 'Its type' }),
    timestamp: Timestamp("When it occurred, in the store's time"),
    data: Type.Object({}, { additionalProperties: true, description: 'The payload of its deliveries' }),
    request_id: OrNull(
      Type.String({ description: 'The `X-Request-Id` of the request that caused it; null where none did' })
    )
  },
  {
    title: 'Event',
    description: 'Something that happened, as receivers get it.',
    examples: [
      {
        id: 'evt_812',
        sequence: 790,
        event: 'store_credit.added',
        timestamp: '2026-11-15T06:25:00.000Z',
        data: { amount: 29, balance: 58, currency: 'EUR' },
        request_id: null
      }
    ]
  }
)

/** GET /stores/{store}/events */
export function listEventsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/events',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listEvents',
        summary: 'List events',
        description:
          'The events of the store that are kept, in the order of `sequence`: oldest first, or newest first with `sort=newest`. To read on, send `since` with the `next_since` of the last response, or `before` with its `next_before`.',
        params: StoreParams,
        querystring: Type.Object({
          since: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: MAX_SEQUENCE,
              description: `an integer from 0 to ${MAX_SEQUENCE}`,
              meaning: 'Events after this `sequence`; without it, all that are kept',
              examples: [812]
            })
          ),
          sort: Type.Optional(
            oneOf(['oldest', 'newest'], {
              meaning: 'Which event comes first; `oldest` without it',
              examples: ['oldest']
            })
          ),
          before: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: MAX_SEQUENCE,
              description: `an integer from 1 to ${MAX_SEQUENCE}`,
              meaning: 'Events before this `sequence`; only with `sort=newest`',
              examples: [812]
            })
          ),
          type: Type.Optional(oneOf(EVENT_TYPES, { meaning: 'Events of this type', examples: ['store_credit.added'] })),
          customer: Type.Optional(
            text(200, "a customer id, the platform's number or its global id", {
              meaning: 'Events of this customer',
              examples: ['cust_24']
            })
          ),
          request: Type.Optional(
            text(100, 'the id of a request', {
              meaning: 'Events that the request with this `X-Request-Id` caused; without `customer`',
              examples: ['0e7bd4f0-9bb4-4f46-9b3c-2f4ec3a3f0a1']
            })
          ),
          limit: PageLimit
        }),
        response: {
          200: Type.Object({
            data: Type.Array(EventBody, { description: 'The events' }),
            total: Type.Integer({ description: 'How many there are after `since`, or before `before`', examples: [1] }),
            next_since: Type.Integer({
              description:
                'The `since` of the next page; with `sort=newest` that of the events which are not in the list yet',
              examples: [790]
            }),
            next_before: OrNull(
              Type.Integer({
                description:
                  'The `before` of the next page with `sort=newest`; null on the last one, and with `sort=oldest`',
                examples: [741]
              })
            )
          })
        }
      }
    },
    async (request) => {
      const {
        type,
        customer,
        request: requestId,
        since,
        before,
        sort = 'oldest',
        limit = DEFAULT_LIMIT
      } = request.query
      if (customer !== undefined && requestId !== undefined) {
        throw invalidField('request', 'must be left out with customer')
      }
      const { profile } = requestStoreOf(request)
      const named = customer === undefined ? undefined : parseCustomerId(customer, profile)
      if (sort === 'newest') {
        if (since !== undefined) throw invalidField('since', 'must be left out with sort=newest')
        const latest = await request.inStore((ctx) =>
          listLatestEvents(ctx, { type, customer: named, requestId, before, limit })
        )
        const { events, total, nextSince, nextBefore } = latest
        return { data: events.map(presentEvent), total, next_since: nextSince, next_before: nextBefore }
      }
      if (before !== undefined) throw invalidField('before', 'must be left out without sort=newest')
      const { events, total, nextSince } = await request.inStore((ctx) =>
        listEvents(ctx, { type, since, customer: named, requestId, limit, offset: 0 })
      )
      return { data: events.map(presentEvent), total, next_since: nextSince, next_before: null }
    }
  )
}

function presentEvent({ id, sequence, type, occurredAt, data, requestId }: LoggedEvent): Static<typeof EventBody> {
  const timestamp = isoOf(occurredAt)
  return { id: publicId('evt', id), sequence, event: type, timestamp, data: data as object, request_id: requestId }
}
