import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { exampleOf, OrNull, Timestamp } from '#resources'
import { type Endpoint, enableEndpoint, type NotReceived } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { EndpointParams } from './endpoint-fields.ts'
import { EndpointBody, presentEndpoint } from './present-endpoint.ts'

const EnabledEndpoint = Type.Object(
  {
    ...EndpointBody.properties,
    undelivered_since: OrNull(
      Timestamp(
        'Since when it has deliveries that failed or were cancelled and were not sent again; null for an endpoint that was enabled'
      )
    ),
    missed_events: Type.Integer({
      description:
        'How many events that it receives occurred while it was disabled and were never queued for it; counting ends at 10,000'
    }),
    missed_after_sequence: OrNull(
      Type.Integer({
        description:
          'The `since` of `GET /v1/events` for these events and those of the deliveries since `undelivered_since`; null when there are none'
      })
    )
  },
  {
    title: 'EnabledWebhookEndpoint',
    description: 'An endpoint that was enabled, and what it did not get.',
    examples: [
      {
        ...(exampleOf(EndpointBody) as object),
        undelivered_since: '2027-04-28T08:00:00.000Z',
        missed_events: 15,
        missed_after_sequence: 1203
      }
    ]
  }
)

/** POST /stores/{store}/webhooks/{endpoint}/enable */
export function enableEndpointRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/webhooks/:endpoint/enable',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'enableWebhookEndpoint',
        summary: 'Enable a webhook endpoint',
        description:
          'It receives events from the next one on. What it did not get is sent by `resend-failed` with `since` = `undelivered_since` and `missed`, or read from `GET /v1/events`.',
        params: EndpointParams,
        body: Type.Object({}),
        response: { 200: EnabledEndpoint }
      }
    },
    async (request) => presentEnabled(await request.inStore((ctx) => enableEndpoint(ctx, request.params.endpoint)))
  )
}

function presentEnabled(enabled: {
  endpoint: Endpoint
  notReceived: NotReceived | null
}): Static<typeof EnabledEndpoint> {
  const { endpoint, notReceived } = enabled
  return {
    ...presentEndpoint(endpoint),
    undelivered_since: notReceived && isoOf(notReceived.since),
    missed_events: notReceived?.missedEvents ?? 0,
    missed_after_sequence: notReceived?.firstAfter ?? null
  }
}
