import type { Ctx } from '#kit/postgres'
import { cancelOpenDeliveries } from '../delivery/open-deliveries.ts'
import { endpointNotFound } from '../refusals.ts'
import { endpointIdOf } from './endpoint.ts'
import { markDeleted } from './endpoint-queries.ts'

/** Deletes an endpoint. Its open deliveries are cancelled; its history stays and still names it. */
export async function deleteEndpoint(ctx: Ctx, id: string): Promise<void> {
  const internal = endpointIdOf(id)
  if (!(await markDeleted(ctx, internal))) throw endpointNotFound(id)
  await cancelOpenDeliveries(ctx, [internal])
}
