import type { Ctx } from '#kit/postgres'
import { type Endpoint, endpointIdOf } from '../endpoints/endpoint.ts'
import { setEndpointStatus } from '../endpoints/set-endpoint-status.ts'
import { firstUndeliveredSequence, undeliveredSince } from '../endpoints/undelivered-since.ts'
import { countMissed } from './count-missed.ts'
import { lockReceiver, spanOfMissed } from './missed-events.ts'

/** What an endpoint did not get because it was disabled. Store time. */
export type NotReceived = {
  /** Since when there are deliveries that failed or were cancelled, and were not sent again. */
  since: Temporal.Instant
  /** Events that it accepts and that were never queued for it; counting ends at 10,000. */
  missedEvents: number
  /** The sequence after which the first event of all these comes, of the deliveries and of the missed; null when there is none. */
  firstAfter: number | null
}

/** Enables an endpoint, and says what it did not get; null for one that was enabled. */
export async function enableEndpoint(
  ctx: Ctx,
  id: string
): Promise<{ endpoint: Endpoint; notReceived: NotReceived | null }> {
  const notReceived = await countNotReceived(ctx, endpointIdOf(id))
  return { endpoint: await setEndpointStatus(ctx, id, 'enabled'), notReceived }
}

async function countNotReceived(ctx: Ctx, id: number): Promise<NotReceived | null> {
  const receiver = await lockReceiver(ctx, id)
  if (receiver?.status !== 'disabled' || receiver.disabledAt === null) return null
  const undelivered = await undeliveredSince(ctx, id)
  const failing = receiver.failingSince ?? receiver.disabledAt
  const since = undelivered && Temporal.Instant.compare(undelivered, failing) < 0 ? undelivered : failing
  const { count: missedEvents, first } = await countMissed(ctx, receiver, await spanOfMissed(ctx, receiver, since))
  const firsts = [first, await firstUndeliveredSequence(ctx, id)].filter((sequence) => sequence !== null)
  return { since, missedEvents, firstAfter: firsts.length === 0 ? null : Math.min(...firsts) - 1 }
}
