import type { Ctx } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { endpointNotFound, unusableOverlap } from '../refusals.ts'
import { newSigningSecret, secretPurpose } from '../signing/sign-delivery.ts'
import { type Endpoint, endpointIdOf, endpointOf } from './endpoint.ts'
import { dropPreviousSecret, findEndpointRow, replaceSecret } from './endpoint-queries.ts'
import { refuseListener } from './refuse-listener.ts'

/** A week. */
const LONGEST_OVERLAP_HOURS = 168

/**
 * Gives an endpoint a new secret, which is returned only here. The old one signs too for `overlapHours` of real time, so that
 * the receiver can change secrets. A second roll within that time replaces the new secret, which may have been lost; the old
 * one stays.
 */
export async function rollSecret(
  ctx: Ctx,
  id: string,
  { vault }: { vault: Vault },
  overlapHours = 24
): Promise<Endpoint & { secret: string }> {
  const internal = endpointIdOf(id)
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > LONGEST_OVERLAP_HOURS) {
    throw unusableOverlap(LONGEST_OVERLAP_HOURS)
  }
  await refuseListener(ctx, internal)
  const secret = newSigningSecret()
  await replaceSecret(ctx, internal, vault.seal(secretPurpose(ctx.storeId), secret), overlapHours)
  const rolled = await findEndpointRow(ctx, internal)
  if (!rolled) throw endpointNotFound(id)

  return { ...endpointOf(rolled), secret }
}

/** Ends the overlap now: from here on only the new secret signs. Ending it again changes nothing. */
export async function endRoll(ctx: Ctx, id: string): Promise<Endpoint> {
  const internal = endpointIdOf(id)
  await dropPreviousSecret(ctx, internal)
  const endpoint = await findEndpointRow(ctx, internal)
  if (!endpoint) throw endpointNotFound(id)

  return endpointOf(endpoint)
}
