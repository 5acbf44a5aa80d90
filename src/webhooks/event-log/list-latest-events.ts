import type { Ctx } from '#kit/postgres'
import { type CustomerIdReference, findCustomerId } from '#members'
import { EVENT_TYPES, type EventType, factOfEvent } from '../public-events.ts'
import { countCustomerEvents, type LoggedFact } from './customer-events.ts'
import { countEventsAfter } from './event-log-queries.ts'
import { BLOCK, readSpan } from './event-span.ts'
import { listLatest, listLatestOfCustomer, listLatestOfType } from './latest-events-queries.ts'
import { type LoggedEvent, loggedEvent } from './logged-event.ts'
import { countRequestEvents, listLatestOfRequest } from './request-events.ts'

type Filters = { type?: EventType; customer?: CustomerIdReference; requestId?: string; before?: number; limit: number }

/**
 * The public events of a store, the newest first: those that are sure by now (as `listEvents` has them). `nextBefore`: where the next page begins; null on the
 * last one. `nextSince`: the `since` from which `listEvents` goes on with what comes later.
 */
export async function listLatestEvents(
  ctx: Ctx,
  { type, customer, requestId, before, limit }: Filters
): Promise<{ events: LoggedEvent[]; total: number; nextBefore: number | null; nextSince: number }> {
  const span = await readSpan(ctx)
  const end = before === undefined ? span.end : Math.min(span.end, before - 1)
  const wanted = {
    names: (type ? [type] : EVENT_TYPES).map(factOfEvent),
    after: span.start,
    end,
    // Only whole blocks are counted.
    countedTo: Math.min(span.countedTo ?? 0, Math.floor(end / BLOCK) * BLOCK),
    limit: limit + 1
  }
  const { facts: found, total } = await read(ctx, wanted, { customer, requestId })
  const facts = found.slice(0, limit)
  return {
    events: facts.map(loggedEvent),
    total,
    nextBefore: found.length > limit ? facts.at(-1)!.position : null,
    nextSince: span.end
  }
}

async function read(
  ctx: Ctx,
  wanted: Parameters<typeof listLatestOfType>[1],
  { customer, requestId }: Pick<Filters, 'customer' | 'requestId'>
): Promise<{ facts: LoggedFact[]; total: number }> {
  if (requestId !== undefined) {
    return {
      facts: await listLatestOfRequest(ctx, requestId, wanted),
      total: await countRequestEvents(ctx, requestId, wanted)
    }
  }
  if (!customer) {
    const list = wanted.names.length === 1 ? listLatestOfType : listLatest
    return { facts: await list(ctx, wanted), total: await countEventsAfter(ctx, wanted) }
  }
  const memberId = await findCustomerId(ctx, customer)
  if (memberId === null) return { facts: [], total: 0 }
  return {
    facts: await listLatestOfCustomer(ctx, memberId, wanted),
    total: await countCustomerEvents(ctx, memberId, wanted)
  }
}
