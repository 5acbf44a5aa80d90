import type { Ctx } from '#kit/postgres'
import { notify } from '#stores'
import { cancelOpenDeliveries } from '../delivery/open-deliveries.ts'
import { endpointNotFound } from '../refusals.ts'
import { type Endpoint, endpointIdOf, endpointOf } from './endpoint.ts'
import { endpointDisabledAlert } from './endpoint-disabled-alert.ts'
import { checkReason } from './endpoint-fields.ts'
import { type DisabledEndpoint, findEndpointRow, markDisabled, markEnabled } from './endpoint-queries.ts'
import { refuseListener } from './refuse-listener.ts'

/**
 * Enables or disables an endpoint for an operator. Disabling cancels its open deliveries, which stay in the history;
 * events that occur while it is disabled are not sent to it. The first reason stays.
 */
export async function setEndpointStatus(
  ctx: Ctx,
  id: string,
  status: 'enabled' | 'disabled',
  reason = 'Disabled by hand'
): Promise<Endpoint> {
  const internal = endpointIdOf(id)
  await refuseListener(ctx, internal)
  if (status === 'disabled') {
    const line = checkReason(reason)
    await switchOff(ctx, [internal], { reason: line, by: 'person' })
  } else await markEnabled(ctx, internal)
  const endpoint = await findEndpointRow(ctx, internal)
  if (!endpoint) throw endpointNotFound(id)

  return endpointOf(endpoint)
}

/** The same for the sender, which disables endpoints that are gone or have failed for long, and raises an alert. */
export async function disableEndpoints(ctx: Ctx, ids: number[], reason: string): Promise<void> {
  for (const endpoint of await switchOff(ctx, ids, { reason, by: 'service' })) {
    await notify(ctx, await endpointDisabledAlert(ctx, endpoint, reason))
  }
}

async function switchOff(
  ctx: Ctx,
  ids: number[],
  why: { reason: string; by: 'service' | 'person' }
): Promise<DisabledEndpoint[]> {
  const disabled = await markDisabled(ctx, ids, why)
  const disabledIds = disabled.map((d) => d.id)
  if (disabledIds.length > 0) await cancelOpenDeliveries(ctx, disabledIds)
  return disabled
}
