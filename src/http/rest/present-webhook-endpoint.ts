import type { Static } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import type { WebhookDeliveryBody, WebhookDeliveryDetailBody, WebhookEndpointBody } from '#resources'
import { type Delivery, type DeliveryDetail, type Endpoint, EVENT_TYPES } from '#webhooks'

export function presentWebhookEndpoint(endpoint: Endpoint): Static<typeof WebhookEndpointBody> {
  return {
    id: endpoint.id,
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

export function presentWebhookDelivery(delivery: Delivery): Static<typeof WebhookDeliveryBody> {
  return {
    id: delivery.webhookId,
    endpoint_id: delivery.endpoint,
    event: delivery.event,
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

export function presentWebhookDeliveryDetail(delivery: DeliveryDetail): Static<typeof WebhookDeliveryDetailBody> {
  return {
    ...presentWebhookDelivery(delivery),
    body: delivery.body,
    history: delivery.history.map((one) => ({
      number: one.tryNumber,
      started_at: isoOf(one.startedAt),
      response_code: one.responseCode,
      response_time_ms: one.durationMs,
      failure: one.failure,
      response_body: one.responseText
    }))
  }
}
