import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { type Endpoint, endpointOf } from './endpoint.ts'
import { findEndpointRow, listEndpointRows } from './endpoint-queries.ts'

/** Every endpoint of the store that is not deleted, newest first. */
export async function listEndpoints(ctx: Ctx): Promise<Endpoint[]> {
  return (await listEndpointRows(ctx)).map(endpointOf)
}

/** Null also for one that is deleted. */
export async function findEndpoint(ctx: Ctx, id: string): Promise<Endpoint | null> {
  const internal = internalId('we', id)
  const found = internal === null ? null : await findEndpointRow(ctx, internal)
  return found && endpointOf(found)
}
