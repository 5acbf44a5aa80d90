import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import {
  type Delivery,
  type DeliveryDetail,
  type DeliveryStatus,
  deliveryOf,
  isWebhookId
} from '../delivery/delivery.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { readStoreKind } from '../endpoints/endpoint-queries.ts'
import { isEventType } from '../public-events.ts'
import { deliveryNotFound, endpointNotFound, unknownEventTypes, unusableEventId, unusableObject } from '../refusals.ts'
import { findDeliveryRow, knowsEndpoint, listDeliveryRows, listTryRows } from './history-queries.ts'

/** Filters combine. `before` is the webhook_id that the last page ended with. */
export type DeliveryFilters = {
  status?: DeliveryStatus
  event?: string
  /** A deleted endpoint has a history too. */
  endpoint?: string
  /** An event by its id, such as evt_812. */
  eventId?: string
  /** A subscription or member, by its public id. */
  object?: string
  /** When it was made, store time; inclusive. */
  from?: Temporal.Instant
  /** Exclusive. */
  to?: Temporal.Instant
  before?: string
  limit?: number
}

/** The delivery history, newest first. `next` is the `before` of the following page; null on the last one. */
export async function listDeliveries(
  ctx: Ctx,
  { status, event, eventId, endpoint, object, from, to, before, limit = 50 }: DeliveryFilters = {}
): Promise<{ deliveries: Delivery[]; next: string | null }> {
  if (event !== undefined && !isEventType(event)) throw unknownEventTypes('event', [event])
  const about = object === undefined ? null : aboutOf(object)
  const factId = eventId === undefined ? null : internalId('evt', eventId)
  if (eventId !== undefined && factId === null) throw unusableEventId()
  const endpointId = endpoint === undefined ? null : endpointIdOf(endpoint)
  if (endpointId !== null && !(await knowsEndpoint(ctx, endpointId))) throw endpointNotFound(endpoint!)
  const last = before === undefined ? null : await findRow(ctx, before)
  if (before !== undefined && !last) throw deliveryNotFound(before)

  const rows = await listDeliveryRows(ctx, {
    object: about,
    status: status ?? null,
    event: event ?? null,
    endpointId,
    factId,
    from: from ?? null,
    to: to ?? null,
    fromDay: from === undefined ? null : await earliestDay(ctx, from),
    before: last,
    limit: limit + 1
  })
  const deliveries = rows.slice(0, limit).map(deliveryOf)

  return { deliveries, next: rows.length > limit ? deliveries.at(-1)!.webhookId : null }
}

/** One delivery with its payload and every try, first try first. */
export async function findDelivery(ctx: Ctx, webhookId: string): Promise<DeliveryDetail | null> {
  const found = await findRow(ctx, webhookId)
  if (!found) return null
  return { ...deliveryOf(found), body: found.body, history: await listTryRows(ctx, found.day, found.id) }
}

async function findRow(ctx: Ctx, webhookId: string) {
  return isWebhookId(webhookId) ? findDeliveryRow(ctx, webhookId) : null
}

/** Days are those of real time. A live store has no other time, so nothing from `from` on lies in an earlier day. */
async function earliestDay(ctx: Ctx, from: Temporal.Instant): Promise<Temporal.PlainDate | null> {
  const { sandbox } = await readStoreKind(ctx)
  return sandbox ? null : from.toZonedDateTimeISO('UTC').toPlainDate()
}

function aboutOf(object: string): string {
  const subscription = internalId('sub', object)
  if (subscription !== null) return `subscription:${subscription}`
  const member = internalId('mem', object)
  if (member === null) throw unusableObject()
  return `member:${member}`
}
