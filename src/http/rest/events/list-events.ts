import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { parseCustomerId } from '#members'
import { EventBody } from '#resources'
import { EVENT_TYPES, type LoggedEvent, listEvents } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { PagingFields, pageEnvelope, pagingOf, SequenceEnvelope } from '../envelope.ts'
import { idField } from '../fields.ts'

/** Skipping costs what is skipped; `since` does not. */
const MAX_OFFSET = 10_000

const MAX_SEQUENCE = 999_999_999_999_999

const EventQuery = Type.Object({
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SEQUENCE,
      description: `an integer from 0 to ${MAX_SEQUENCE}`,
      meaning: 'Events after this `sequence`; the `next_since` of the last page. Without it, all that are kept',
      examples: [812]
    })
  ),
  type: Type.Optional(
    Type.Union(
      EVENT_TYPES.map((type) => Type.Literal(type)),
      {
        description: `one of ${EVENT_TYPES.join(', ')}`,
        meaning: 'Events of this type',
        examples: ['store_credit.added']
      }
    )
  ),
  customer: idField("a customer id, the platform's number or its global id", {
    meaning: 'Events of this customer',
    examples: ['cust_24']
  }),
  limit: PagingFields.limit,
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OFFSET,
      default: 0,
      description: `an integer from 0 to ${MAX_OFFSET}`,
      meaning: 'Number of objects to skip after `since`; to read on, use `since`',
      examples: [0]
    })
  )
})

/** GET /events: ours, so that a receiver can fetch what it missed. */
export function listEventsRoute(rest: Surface): void {
  rest.get(
    '/events',
    {
      config: { allow: 'read:webhooks' },
      schema: {
        operationId: 'listEvents',
        summary: 'List events',
        description:
          'Every event of the store, with what its deliveries have, in the order of `sequence`: oldest first. To read on, send `since` with the `next_since` of the last response, until `has_more` is false, and later again: no event is skipped. Events are kept for 90 days; a `since` before that is an error, so that you notice the gap.',
        querystring: EventQuery,
        response: { 200: SequenceEnvelope(Type.Array(EventBody)) }
      }
    },
    async (request) => {
      const { profile } = callerOf(request)
      const { type, customer, since } = request.query
      const paging = pagingOf(request.query)
      const { events, total, nextSince } = await request.inStore((ctx) =>
        listEvents(ctx, {
          type,
          since,
          ...paging,
          ...(customer !== undefined && { customer: parseCustomerId(customer, profile) })
        })
      )
      const { data, meta } = pageEnvelope(events.map(presentEvent), total, paging)
      return { data, meta: { ...meta, next_since: nextSince } }
    }
  )
}

function presentEvent({ id, sequence, type, occurredAt, data }: LoggedEvent): Static<typeof EventBody> {
  return { id: publicId('evt', id), sequence, event: type, timestamp: isoOf(occurredAt), data: data as object }
}
