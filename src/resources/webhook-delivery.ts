import { Type } from 'typebox'
import { OrNull, Timestamp } from './fields.ts'

const FAILURE =
  'Why it failed, in a word: `status`, `timeout`, `dns`, `connect`, `tls`, `reset`, …; null when it did not'

const EXAMPLE = {
  id: 'wh_d9d197bd3365471a868632ad050fd207',
  endpoint_id: 'we_2',
  event: 'billing.success',
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

export const WebhookDeliveryBody = Type.Object(
  {
    id: Type.String({ description: 'The `webhook_id` of the delivery, the same for all of its attempts' }),
    endpoint_id: Type.String({ description: 'The endpoint' }),
    event: Type.String({ description: 'The event type' }),
    test: Type.Boolean({ description: 'Whether it is a sample' }),
    status: Type.Union([Type.Literal('delivered'), Type.Literal('retrying'), Type.Literal('failed')], {
      description: '`delivered` after a 2xx response, `failed` after the final attempt, otherwise `retrying`'
    }),
    cancelled: Type.Boolean({ description: 'Whether it was stopped before its attempts were used up' }),
    tries: Type.Integer({ description: 'How often it was posted' }),
    response_code: OrNull(Type.Integer({ description: 'The response status of the last attempt' })),
    response_time_ms: OrNull(
      Type.Integer({ description: 'How long the last attempt took, in milliseconds; null if it was interrupted' })
    ),
    failure: OrNull(Type.String({ description: FAILURE })),
    next_try_at: OrNull(Timestamp('When the next attempt is due')),
    created_at: Timestamp('When the event occurred'),
    finished_at: OrNull(Timestamp('When it ended, either way'))
  },
  { title: 'WebhookDelivery', description: 'One event for one endpoint.', examples: [EXAMPLE] }
)

const TryBody = Type.Object({
  number: Type.Integer({ description: '1 for the first' }),
  started_at: Timestamp('When it began'),
  response_code: OrNull(Type.Integer({ description: 'The response status; null without a response' })),
  response_time_ms: OrNull(
    Type.Integer({ description: 'How long it took, in milliseconds; null if it was interrupted' })
  ),
  failure: OrNull(Type.String({ description: FAILURE })),
  response_body: Type.String({ description: 'The beginning of the response body' })
})

export const WebhookDeliveryDetailBody = Type.Object(
  {
    ...WebhookDeliveryBody.properties,
    body: Type.String({ description: 'The exact text that is signed and posted' }),
    history: Type.Array(TryBody, { description: 'Every attempt, oldest first' })
  },
  {
    title: 'WebhookDeliveryDetail',
    description: 'A delivery with its body and every attempt.',
    examples: [
      {
        ...EXAMPLE,
        body: '{"event":"billing.success","timestamp":"2027-02-28T09:00:00.000Z","webhook_id":"wh_d9d197bd3365471a868632ad050fd207","data":{}}',
        history: [
          {
            number: 1,
            started_at: '2027-02-28T09:00:00.000Z',
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
