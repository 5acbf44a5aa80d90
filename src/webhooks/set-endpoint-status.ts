import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { cancelOpenDeliveries } from './delivery-queries.ts'
import { type Endpoint, endpointOf } from './endpoint.ts'
import { findEndpointRow, markDisabled, markEnabled } from './endpoint-queries.ts'
import { endpointNotFound } from './refusals.ts'

/**
 * Switches an endpoint on or off. Disabling gives up its open deliveries, which stay in the history as cancelled;
 * events that occur while it is disabled make none.
 */
export async function setEndpointStatus(ctx: Ctx, id: string, status: 'enabled' | 'disabled'): Promise<Endpoint> {
  const internal = internalId('we', id)
  if (internal === null) throw endpointNotFound(id)

  if (status === 'disabled') await disableEndpoints(ctx, [internal], 'Disabled by hand')
  const endpoint = status === 'enabled' ? await markEnabled(ctx, internal) : await findEndpointRow(ctx, internal)
  if (!endpoint) throw endpointNotFound(id)

  return endpointOf(endpoint)
}

/** The same for the sender, which disables those that are gone or have failed for long. */
export async function disableEndpoints(ctx: Ctx, ids: number[], reason: string): Promise<void> {
  const disabled = await markDisabled(ctx, ids, reason)
  if (disabled.length > 0) await cancelOpenDeliveries(ctx, disabled)
}
