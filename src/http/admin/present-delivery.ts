import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import type { Delivery, DeliveryDetail } from '#webhooks'
import { OrNull } from '../shared/response-fields.ts'

export const DeliveryBody = Type.Object({
  webhook_id: Type.String(),
  endpoint: Type.String(),
  endpoint_kind: Type.String(),
  event: Type.String(),
  object: OrNull(Type.String()),
  test: Type.Boolean(),
  status: Type.String(),
  cancelled: Type.Boolean(),
  tries: Type.Integer(),
  response_code: OrNull(Type.Integer()),
  response_time_ms: OrNull(Type.Integer()),
  failure: OrNull(Type.String()),
  next_try_at: OrNull(Type.String()),
  created_at: Type.String(),
  finished_at: OrNull(Type.String())
})

export const DeliveryDetailBody = Type.Object({
  ...DeliveryBody.properties,
  /** As its receiver reads it, and the exact text that was signed. */
  payload: Type.Unknown(),
  body: Type.String(),
  history: Type.Array(
    Type.Object({
      number: Type.Integer(),
      started_at: Type.String(),
      status: Type.String(),
      response_code: OrNull(Type.Integer()),
      response_time_ms: Type.Integer(),
      failure: OrNull(Type.String()),
      response_body: Type.String()
    })
  )
})

export function presentDelivery(delivery: Delivery): Static<typeof DeliveryBody> {
  return {
    webhook_id: delivery.webhookId,
    endpoint: delivery.endpoint,
    endpoint_kind: delivery.endpointKind,
    event: delivery.event,
    object: delivery.object,
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
