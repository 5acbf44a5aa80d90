import type { Ctx } from '#kit/postgres'
import { isEventType } from '#resources'
import { type Delivery, deliveryOf } from '../delivery/delivery.ts'
import { readStoreKind } from '../endpoints/endpoint-queries.ts'
import { listNamedRows } from '../history/history-queries.ts'
import { unknownEventTypes } from '../refusals.ts'
import { lockEnabledEndpointsShared } from './insert-deliveries.ts'
import { queueSamples } from './send-sample.ts'

/**
 * Sends a sample of an event type to whoever hears of it: in a sandbox store every enabled endpoint and every terminal
 * that listens, in a live store terminals only, since a receiver in production must not take a sample for the real
 * thing; `terminalsOnly` tells.
 */
export async function triggerSample(
  ctx: Ctx,
  event: string
): Promise<{ deliveries: Delivery[]; terminalsOnly: boolean }> {
  if (!isEventType(event)) throw unknownEventTypes('event', [event])
  const { sandbox } = await readStoreKind(ctx)
  const hearing = (await lockEnabledEndpointsShared(ctx)).filter(
    ({ kind, events }) => (sandbox || kind === 'listener') && (events === null || events.includes(event))
  )
  const webhookIds = await queueSamples(
    ctx,
    event,
    hearing.map(({ id }) => id)
  )

  return { deliveries: (await listNamedRows(ctx, webhookIds)).map(deliveryOf), terminalsOnly: !sandbox }
}
