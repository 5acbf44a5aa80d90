import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import type { DeliveryDetail } from '../delivery/delivery.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { findEndpointRow } from '../endpoints/endpoint-queries.ts'
import { findDelivery } from '../history/list-deliveries.ts'
import { type EventType, isEventType } from '../public-events.ts'
import { endpointNotFound, unknownEventTypes } from '../refusals.ts'
import { bodyOf, newWebhookId } from './queue-deliveries.ts'
import { insertSamples } from './redelivery-queries.ts'
import { refuseUnsendable } from './refuse-unsendable.ts'
import { sampleOf } from './sample-of.ts'

/**
 * The test send of spec 1 (Events, Receiver requirements 4): a realistic sample of an event type is queued for one
 * endpoint, whatever types it accepts, and is tried once.
 */
export async function sendSample(ctx: Ctx, endpoint: string, event: string): Promise<DeliveryDetail> {
  const endpointId = endpointIdOf(endpoint)
  if (!isEventType(event)) throw unknownEventTypes('event', [event])
  if (!(await findEndpointRow(ctx, endpointId))) throw endpointNotFound(endpoint)
  await refuseUnsendable(ctx, endpointId)
  const [webhookId] = await queueSamples(ctx, event, [endpointId])

  return (await findDelivery(ctx, webhookId!))!
}

/** A sample for each of these endpoints, which the caller has locked. Returns their webhook_ids, in the same order. */
export async function queueSamples(ctx: Ctx, event: EventType, endpointIds: number[]): Promise<string[]> {
  const { currency, profile } = await storeContext(ctx)
  const data = sampleOf(event, { currency, profile, now: ctx.now })
  const samples = endpointIds.map((endpointId) => {
    const webhookId = newWebhookId()
    return { endpointId, webhookId, body: bodyOf({ type: event, occurredAt: ctx.now }, webhookId, data) }
  })
  await insertSamples(ctx, event, samples)
  return samples.map(({ webhookId }) => webhookId)
}
