import type { Ctx } from '#kit/postgres'
import { type Delivery, deliveryOf } from '../delivery/delivery.ts'
import { readStoreKind } from '../endpoints/endpoint-queries.ts'
import { listNamedRows } from '../history/history-queries.ts'
import { isEventType } from '../public-events.ts'
import { unknownEventTypes } from '../refusals.ts'
import { lockEnabledEndpointsShared } from './insert-deliveries.ts'
import { queueSamples } from './send-sample.ts'

/**
 * Sends a sample of an event type to the endpoints that accept it: in a sandbox store to every enabled endpoint and open
 * listener, in a live store to listeners only (`terminalsOnly`), since a receiver in production must not mistake a sample
 * for a real event.
 */
export async function triggerSample(
  ctx: Ctx,
  event: string
): Promise<{ deliveries: Delivery[]; terminalsOnly: boolean }> {
  if (!isEventType(event)) throw unknownEventTypes('event', [event])
  const { sandbox } = await readStoreKind(ctx)
  const receiving = (await lockEnabledEndpointsShared(ctx)).filter(
    ({ kind, events }) => (sandbox || kind === 'listener') && (events === null || events.includes(event))
  )
  const webhookIds = await queueSamples(
    ctx,
    event,
    receiving.map(({ id }) => id)
  )

  return { deliveries: (await listNamedRows(ctx, webhookIds)).map(deliveryOf), terminalsOnly: !sandbox }
}
