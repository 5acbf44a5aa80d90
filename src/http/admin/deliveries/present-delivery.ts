import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { OrNull, Timestamp } from '#resources'
import type { Delivery, DeliveryDetail } from '#webhooks'

const EXAMPLE = {
  webhook_id: 'wh_d9d197bd3365471a868632ad050fd207',
  endpoint: 'we_1',
  endpoint_kind: 'url',
  event: 'billing.success',
  object: 'sub_25',
  event_id: 'evt_812',
  sequence: 790,
  test: false,
  status: 'delivered',
  cancelled: false,
  tries: 1,
  response_code: 204,
  response_time_ms: 2,
  failure: null,
  next_try_at: null,
  created_at: '2027-02-28T09:00:00.000Z',
  finished_at: '2027-02-28T09:00:00.002Z'
}

const FAILURE =
  'Why it failed, in a word: `status`, `timeout`, `dns`, `connect`, `tls`, `reset`, …; null when it did not'

export const DeliveryBody = Type.Object(
  {
    webhook_id: Type.String({ description: 'The id of the delivery, the same over all its tries' }),
    endpoint: Type.String({ description: 'The endpoint, `we_1`' }),
    endpoint_kind: Type.String({ description: '`url`, or `listener` for a running `perennial listen`' }),
    event: Type.String({ description: 'The event type' }),
    object: OrNull(Type.String({ description: 'The subscription or member that it is about' })),
    event_id: OrNull(
      Type.String({ description: 'The event that it reports, as `GET /events` has it; null for a sample' })
    ),
    sequence: OrNull(Type.Integer({ description: 'The number of the event, `X-Svc-Sequence`; null for a sample' })),
    test: Type.Boolean({ description: 'Whether it is a sample' }),
    status: Type.String({ description: '`delivered`, `retrying` or `failed`' }),
    cancelled: Type.Boolean({ description: 'Whether it was stopped before its tries were used up' }),
    tries: Type.Integer({ description: 'How often it was posted' }),
    response_code: OrNull(Type.Integer({ description: 'The response status of the last try' })),
    response_time_ms: OrNull(
      Type.Integer({ description: 'How long the last try took, in milliseconds; null if it was interrupted' })
    ),
    failure: OrNull(Type.String({ description: FAILURE })),
    next_try_at: OrNull(Timestamp('When it is tried next')),
    created_at: Timestamp('When the event occurred'),
    finished_at: OrNull(Timestamp('When it ended, either way'))
  },
  { title: 'WebhookDelivery', description: 'One event for one endpoint.', examples: [EXAMPLE] }
)

const TryBody = Type.Object({
  number: Type.Integer({ description: '1 for the first' }),
  started_at: Timestamp('When it began'),
  status: Type.String({ description: '`delivered` or `failed`' }),
  response_code: OrNull(Type.Integer({ description: 'The response status; null without a response' })),
  response_time_ms: OrNull(
    Type.Integer({ description: 'How long it took, in milliseconds; null if it was interrupted' })
  ),
  failure: OrNull(Type.String({ description: FAILURE })),
  response_body: Type.String({ description: 'The beginning of the response body' })
})

export const DeliveryDetailBody = Type.Object(
  {
    ...DeliveryBody.properties,
    payload: Type.Unknown({ description: 'The body as an object' }),
    body: Type.String({ description: 'The exact text that is signed' }),
    history: Type.Array(TryBody, { description: 'Every try, oldest first' })
  },
  {
    title: 'WebhookDeliveryDetail',
    description: 'A delivery with its payload and every try.',
    examples: [
      {
        ...EXAMPLE,
        payload: { event: 'billing.success' },
        body: '{"event":"billing.success"}',
        history: [
          {
            number: 1,
            started_at: '2027-02-28T09:00:00.000Z',
            status: 'delivered',
            response_code: 204,
            response_time_ms: 2,
            failure: null,
            response_body: ''
          }
        ]
      }
    ]
  }
)

export function presentDelivery(delivery: Delivery): Static<typeof DeliveryBody> {
  return {
    webhook_id: delivery.webhookId,
    endpoint: delivery.endpoint,
    endpoint_kind: delivery.endpointKind,
    event: delivery.event,
    object: delivery.object,
    event_id: delivery.eventId,
    sequence: delivery.sequence,
    test: delivery.test,
    status: delivery.status,
    cancelled: delivery.cancelled,
    tries: delivery.tries,
    response_code: delivery.responseCode,
    response_time_ms: delivery.durationMs,
    failure: delivery.failure,
    next_try_at: isoOrNull(delivery.nextTryAt),
    created_at: isoOf(delivery.createdAt),
    finished_at: isoOrNull(delivery.finishedAt)
  }
}

export function presentDeliveryDetail(delivery: DeliveryDetail): Static<typeof DeliveryDetailBody> {
  return {
    ...presentDelivery(delivery),
    payload: JSON.parse(delivery.body) as unknown,
    body: delivery.body,
    history: delivery.history.map((one) => ({
      number: one.tryNumber,
      started_at: isoOf(one.startedAt),
      status: one.failure === null ? 'delivered' : 'failed',
      response_code: one.responseCode,
      response_time_ms: one.durationMs,
      failure: one.failure,
      response_body: one.responseText
    }))
  }
}
