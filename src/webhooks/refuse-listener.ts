import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { findEndpointRow } from './endpoint-queries.ts'
import { fixedListener } from './refusals.ts'

/** Refuses what is done to endpoints by hand where the endpoint is a terminal. */
export async function refuseListener(ctx: Ctx, endpointId: number): Promise<void> {
  const found = await findEndpointRow(ctx, endpointId)
  if (found?.kind === 'listener') throw fixedListener(publicId('we', endpointId))
}
