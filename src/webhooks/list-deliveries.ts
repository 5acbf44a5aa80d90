import { internalId } from '#kit/ids'
import { EVENT_TYPES } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type Delivery, type DeliveryDetail, type DeliveryStatus, deliveryOf } from './delivery.ts'
import { findDeliveryRow, listDeliveryRows, listTryRows } from './history-queries.ts'
import { deliveryNotFound, endpointNotFound, unknownEventTypes } from './refusals.ts'

/** Filters combine. `before` is the webhook_id that the last page ended with. */
export type DeliveryFilters = {
  status?: DeliveryStatus
  event?: string
  endpoint?: string
  before?: string
  limit?: number
}

const STORED = {
  delivered: ['delivered'],
  retrying: ['waiting', 'retrying'],
  failed: ['failed', 'cancelled']
} as const satisfies Record<DeliveryStatus, string[]>

/** The delivery history, newest first. `next` is the `before` of the following page; null on the last one. */
export async function listDeliveries(
  ctx: Ctx,
  { status, event, endpoint, before, limit = 50 }: DeliveryFilters = {}
): Promise<{ deliveries: Delivery[]; next: string | null }> {
  if (event !== undefined && !EVENT_TYPES.some((type) => type === event)) throw unknownEventTypes([event])
  const endpointId = endpoint === undefined ? null : internalId('we', endpoint)
  if (endpoint !== undefined && endpointId === null) throw endpointNotFound(endpoint)
  const last = before === undefined ? null : await findDeliveryRow(ctx, before)
  if (before !== undefined && !last) throw deliveryNotFound(before)

  const rows = await listDeliveryRows(ctx, {
    statuses: status === undefined ? null : STORED[status],
    event: event ?? null,
    endpointId,
    beforeId: last?.id ?? null,
    limit: limit + 1
  })
  const deliveries = rows.slice(0, limit).map(deliveryOf)

  return { deliveries, next: rows.length > limit ? deliveries.at(-1)!.webhookId : null }
}

/** One delivery with its payload and every try, first try first. */
export async function findDelivery(ctx: Ctx, webhookId: string): Promise<DeliveryDetail | null> {
  const found = await findDeliveryRow(ctx, webhookId)
  if (!found) return null
  return { ...deliveryOf(found), body: found.body, history: await listTryRows(ctx, found.id) }
}
