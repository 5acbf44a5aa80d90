import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { fixedListener } from '../refusals.ts'
import { findEndpointRow } from './endpoint-queries.ts'

/** Refuses a change by an operator when the endpoint is a listener. */
export async function refuseListener(ctx: Ctx, endpointId: number): Promise<void> {
  const found = await findEndpointRow(ctx, endpointId)
  if (found?.kind === 'listener') throw fixedListener(publicId('we', endpointId))
}
