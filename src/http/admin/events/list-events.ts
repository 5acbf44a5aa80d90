import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { parseCustomerId } from '#members'
import { Timestamp } from '#resources'
import { EVENT_TYPES, type LoggedEvent, listEvents } from '#webhooks'
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
    data: Type.Object({}, { additionalProperties: true, description: 'The payload of its deliveries' })
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
        data: { amount: 29, balance: 58, currency: 'EUR' }
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
          'The events of the store that are kept, in the order of `sequence`: oldest first. To read on, send `since` with the `next_since` of the last response.',
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
          type: Type.Optional(oneOf(EVENT_TYPES, { meaning: 'Events of this type', examples: ['store_credit.added'] })),
          customer: Type.Optional(
            text(200, "a customer id, the platform's number or its global id", {
              meaning: 'Events of this customer',
              examples: ['cust_24']
            })
          ),
          limit: PageLimit
        }),
        response: {
          200: Type.Object({
            data: Type.Array(EventBody, { description: 'The events' }),
            total: Type.Integer({ description: 'How many there are after `since`', examples: [1] }),
            next_since: Type.Integer({ description: 'The `since` of the next page', examples: [790] })
          })
        }
      }
    },
    async (request) => {
      const { type, customer, since, limit = DEFAULT_LIMIT } = request.query
      const { profile } = requestStoreOf(request)
      const named = customer === undefined ? undefined : parseCustomerId(customer, profile)
      const { events, total, nextSince } = await request.inStore((ctx) =>
        listEvents(ctx, { type, since, customer: named, limit, offset: 0 })
      )
      return { data: events.map(presentEvent), total, next_since: nextSince }
    }
  )
}

function presentEvent({ id, sequence, type, occurredAt, data }: LoggedEvent): Static<typeof EventBody> {
  return { id: publicId('evt', id), sequence, event: type, timestamp: isoOf(occurredAt), data: data as object }
}
