import type { Ctx } from '#kit/postgres'
import { type Delivery, type DeliveryStatus, deliveryOf } from '../delivery/delivery.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { countEndpointDeliveries, listEndpointDeliveryRows } from './endpoint-delivery-queries.ts'

type Page = { status?: DeliveryStatus; limit: number; offset: number }

/**
 * A page of the deliveries of an endpoint, newest first, and how many there are. The total is that of the days' counts; those
 * that failed or wait are counted, and what is neither was delivered.
 */
export async function listEndpointDeliveries(
  ctx: Ctx,
  endpoint: string,
  { status, limit, offset }: Page
): Promise<{ rows: Delivery[]; total: number }> {
  const endpointId = endpointIdOf(endpoint)
  const rows = await listEndpointDeliveryRows(ctx, endpointId, { status: status ?? null, limit, offset })
  const counts = await countEndpointDeliveries(ctx, endpointId, status ?? null)
  const { made, failed, open } = counts
  const total = { all: made, failed, retrying: open, delivered: made - failed - open }[status ?? 'all']
  return { rows: rows.map(deliveryOf), total }
}
