import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { type Endpoint, endpointOf } from './endpoint.ts'
import { countEndpoints, findEndpointRow, listEndpointRows, listUrlEndpointRows } from './endpoint-queries.ts'

/** Every endpoint of the store that is not deleted, newest first. */
export async function listEndpoints(ctx: Ctx): Promise<Endpoint[]> {
  return (await listEndpointRows(ctx)).map(endpointOf)
}

/** A page of those that have a URL, newest first. */
export async function listUrlEndpoints(
  ctx: Ctx,
  paging: { limit: number; offset: number }
): Promise<{ rows: Endpoint[]; total: number }> {
  const rows = await listUrlEndpointRows(ctx, paging)
  return { rows: rows.map(endpointOf), total: await countEndpoints(ctx) }
}

/** Null also for one that is deleted. */
export async function findEndpoint(ctx: Ctx, id: string): Promise<Endpoint | null> {
  const internal = internalId('we', id)
  const found = internal === null ? null : await findEndpointRow(ctx, internal)
  return found && endpointOf(found)
}
