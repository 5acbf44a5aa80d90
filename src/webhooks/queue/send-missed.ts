import { publicId } from '#kit/ids'
import { StoredFact } from '#kit/outbox'
import { type Ctx, type Database, sql } from '#kit/postgres'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { refuseListener } from '../endpoints/refuse-listener.ts'
import { endpointNotFound } from '../refusals.ts'
import { lockReceiver, lookForMissed, type MissedSpan, spanOfMissed } from './missed-events.ts'
import { queueForEndpoints } from './queue-deliveries.ts'
import { refuseUnsendable } from './refuse-unsendable.ts'

/**
 * Queues the events since a time (store time) that an endpoint accepts and that were never queued for it, because it was disabled,
 * and returns how many. In the order of their sequence, those of one customer behind each other, with the webhook_ids that they
 * would have had. In transactions of at most a thousand, each of which finds what is queued already: safe to repeat.
 */
export async function sendMissed(
  db: Database,
  storeId: number,
  { since, endpoint }: { since: Temporal.Instant; endpoint: string }
): Promise<number> {
  const id = endpointIdOf(endpoint)
  let queued = 0
  let span: MissedSpan | undefined
  do {
    const page = await db.inStore(storeId, (ctx) => sendPage(ctx, { id, since, span }))
    queued += page.queued
    span = page.rest
  } while (span.after < span.end)
  return queued
}

async function sendPage(
  ctx: Ctx,
  { id, since, span }: { id: number; since: Temporal.Instant; span: MissedSpan | undefined }
): Promise<{ queued: number; rest: MissedSpan }> {
  await refuseListener(ctx, id)
  const receiver = await lockReceiver(ctx, id)
  if (!receiver) throw endpointNotFound(publicId('we', id))
  await refuseUnsendable(ctx, id)
  const looked = span ?? (await spanOfMissed(ctx, receiver, since))
  const found = await lookForMissed(ctx, receiver, looked)
  const missed = found.filter(({ isMissed }) => isMissed)
  if (missed.length > 0) await queueForEndpoints(ctx, await readFacts(ctx, missed), [receiver])
  return { queued: missed.length, rest: { ...looked, after: found.at(-1)?.position ?? looked.end } }
}

function readFacts(ctx: Ctx, named: { id: number }[]): Promise<StoredFact[]> {
  return ctx.tx.many(
    StoredFact,
    sql`
    select id, position, name, ordering_key, data, refs, occurred_at from facts
     where store_id = ${ctx.storeId} and id = any(${named.map(({ id }) => id)}::bigint[]) order by position`
  )
}
