import type { Ctx } from '#kit/postgres'
import { storeFacts } from '#stores'
import { insertSample } from './by-hand-queries.ts'
import type { DeliveryDetail } from './delivery.ts'
import { endpointIdOf } from './endpoint.ts'
import { isEventType } from './endpoint-fields.ts'
import { findEndpointRow } from './endpoint-queries.ts'
import { findDelivery } from './list-deliveries.ts'
import { bodyOf, newWebhookId } from './queue-deliveries.ts'
import { endpointNotFound, unknownEventTypes } from './refusals.ts'
import { sampleOf } from './samples.ts'
import { refuseUnsendable } from './sendable.ts'

/**
 * The test send of spec 1 (Events, Receiver requirements 4): a realistic sample of an event type is queued for one
 * endpoint, whatever types it hears of, and is tried once.
 */
export async function sendSample(ctx: Ctx, endpoint: string, event: string): Promise<DeliveryDetail> {
  const endpointId = endpointIdOf(endpoint)
  if (!isEventType(event)) throw unknownEventTypes('event', [event])
  if (!(await findEndpointRow(ctx, endpointId))) throw endpointNotFound(endpoint)
  await refuseUnsendable(ctx, endpointId)

  const { currency, profile } = await storeFacts(ctx)
  const webhookId = newWebhookId()
  const data = sampleOf(event, { currency, profile, now: ctx.now })
  const body = bodyOf({ type: event, occurredAt: ctx.now }, webhookId, data)
  await insertSample(ctx, { endpointId, webhookId, eventType: event, body })

  return (await findDelivery(ctx, webhookId))!
}
