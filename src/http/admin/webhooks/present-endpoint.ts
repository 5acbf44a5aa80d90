import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { exampleOf, WebhookEndpointBody, WebhookEndpointWithSecretBody } from '#resources'
import { type Endpoint, EVENT_TYPES } from '#webhooks'

const { id, url: _, ...fields } = WebhookEndpointBody.properties
const ofKind = {
  id,
  kind: Type.String({ description: '`url`, or `listener` for a running `perennial listen`' }),
  url: Type.String({ description: 'Where deliveries are posted; empty for a listener' }),
  ...fields
}

export const EndpointBody = Type.Object(ofKind, {
  title: 'WebhookEndpoint',
  description: "An endpoint of a store's webhooks.",
  examples: [{ kind: 'url', ...(exampleOf(WebhookEndpointBody) as object) }]
})

export const EndpointWithSecret = Type.Object(
  { ...ofKind, secret: WebhookEndpointWithSecretBody.properties.secret },
  {
    title: 'WebhookEndpointWithSecret',
    description: 'An endpoint with its signing secret, which only the responses that create or roll it show.',
    examples: [{ kind: 'url', ...(exampleOf(WebhookEndpointWithSecretBody) as object) }]
  }
)

export function presentEndpoint(endpoint: Endpoint): Static<typeof EndpointBody> {
  return {
    id: endpoint.id,
    kind: endpoint.kind,
    url: endpoint.url,
    events: endpoint.events ?? [...EVENT_TYPES],
    all_events: endpoint.events === null,
    description: endpoint.description,
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    disabled_at: isoOrNull(endpoint.disabledAt),
    failing_since: isoOrNull(endpoint.failingSince),
    failed_deliveries: endpoint.failedDeliveries,
    previous_secret_until: isoOrNull(endpoint.previousSecretUntil),
    created_at: isoOf(endpoint.createdAt),
    updated_at: isoOf(endpoint.updatedAt)
  }
}

export const presentWithSecret = ({ secret, ...endpoint }: Endpoint & { secret: string }) => ({
  ...presentEndpoint(endpoint),
  secret
})
