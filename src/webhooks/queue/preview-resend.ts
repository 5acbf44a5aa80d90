import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { findEndpointRow } from '../endpoints/endpoint-queries.ts'
import { endpointNotFound } from '../refusals.ts'
import { countMissed } from './count-missed.ts'
import { findReceiver, spanOfMissed } from './missed-events.ts'
import { countSendable, countUnsendable, lockOpenEndpointsShared } from './redelivery-queries.ts'
import type { Resent } from './resend-deliveries.ts'

/**
 * What `resendFailed`, and `sendMissed` where an endpoint is named, would send now. Missed events are counted up to 10,000; null without an
 * endpoint.
 */
export async function previewResend(
  ctx: Ctx,
  { since, endpoint }: { since: Temporal.Instant; endpoint?: string }
): Promise<Resent & { missed: number | null }> {
  const onlyId = endpoint === undefined ? null : endpointIdOf(endpoint)
  if (onlyId !== null && !(await findEndpointRow(ctx, onlyId))) throw endpointNotFound(publicId('we', onlyId))
  const endpointIds = await lockOpenEndpointsShared(ctx, onlyId)
  const resent = await countSendable(ctx, { endpointIds, since })
  const skipped = await countUnsendable(ctx, { endpointIds, onlyId, since })
  const receiver = onlyId === null ? null : await findReceiver(ctx, onlyId)
  const missed = receiver && (await countMissed(ctx, receiver, await spanOfMissed(ctx, receiver, since))).count
  return { resent, skipped, missed }
}
