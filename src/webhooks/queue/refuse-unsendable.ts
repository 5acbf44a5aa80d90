import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { endpointDeleted, endpointDisabled, noListener } from '../refusals.ts'
import { lockEndpointShared } from './redelivery-queries.ts'

/** Refuses an endpoint that is not enabled; otherwise it stays enabled until the commit. */
export async function refuseUnsendable(ctx: Ctx, endpointId: number): Promise<void> {
  const id = publicId('we', endpointId)
  const found = await lockEndpointShared(ctx, endpointId)
  if (!found || found.deleted) throw endpointDeleted(id)
  if (found.status === 'disabled') throw endpointDisabled(id, found.disabledReason)
  if (!found.listens) throw noListener(id)
}
