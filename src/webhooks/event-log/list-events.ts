import type { Ctx } from '#kit/postgres'
import { type CustomerIdReference, findCustomerId } from '#members'
import { EVENT_TYPES, type EventType, factOfEvent } from '../public-events.ts'
import { eventsNotYet, eventsRemoved } from '../refusals.ts'
import { countCustomerEvents, listCustomerEvents } from './customer-events.ts'
import { countEventsAfter, listEventsAfter, listEventsOfType } from './event-log-queries.ts'
import { readSpan } from './event-span.ts'
import { type LoggedEvent, loggedEvent } from './logged-event.ts'
import { countRequestEvents, listRequestEvents } from './request-events.ts'

type EventFilters = {
  type?: EventType
  customer?: CustomerIdReference
  /** Those that a request caused, by the id of its response; a customer is not looked at then. */
  requestId?: string
  /** Events after this sequence; all that are kept, if it is left out. */
  since?: number
  limit: number
  offset: number
}

/**
 * The public events of a store in the order of their sequence. Nothing is skipped: an event that is not yet in the list has a
 * higher sequence than every event that is. Facts that are not public are never in it. `nextSince`: where the next page begins.
 * Refuses a `since` that is before the events that are kept, or after the last one.
 */
export async function listEvents(
  ctx: Ctx,
  filters: EventFilters
): Promise<{ events: LoggedEvent[]; total: number; nextSince: number }> {
  const { type, customer, requestId, since, limit, offset } = filters
  const span = await readSpan(ctx)
  const after = since ?? span.start
  if (after > span.end) throw eventsNotYet(span.end)

  const names = (type ? [type] : EVENT_TYPES).map(factOfEvent)
  // One more than the page, which says whether it is the last one; the total is a matter of counts that are kept apart.
  const wanted = { names, after, end: span.end, countedTo: span.countedTo ?? 0, limit: limit + 1, offset }
  const { facts: found, total } = await read(ctx, wanted, { customer, requestId })
  const facts = found.slice(0, limit)
  // Asked afterwards, since what is removed meanwhile is missing from the page.
  const { start } = await readSpan(ctx)
  if (after < start) {
    if (since === undefined) return listEvents(ctx, filters)
    throw eventsRemoved(start)
  }

  const isLast = found.length <= limit
  return {
    events: facts.map(loggedEvent),
    total,
    nextSince: isLast ? span.end : facts.at(-1)!.position
  }
}

type Wanted = Parameters<typeof listEventsAfter>[1]

async function read(ctx: Ctx, wanted: Wanted, { customer, requestId }: Pick<EventFilters, 'customer' | 'requestId'>) {
  if (requestId !== undefined) {
    return {
      facts: await listRequestEvents(ctx, requestId, wanted),
      total: await countRequestEvents(ctx, requestId, wanted)
    }
  }
  if (!customer) {
    const list = wanted.names.length === 1 ? listEventsOfType : listEventsAfter
    return { facts: await list(ctx, wanted), total: await countEventsAfter(ctx, wanted) }
  }
  const memberId = await findCustomerId(ctx, customer)
  if (memberId === null) return { facts: [], total: 0 }
  return {
    facts: await listCustomerEvents(ctx, memberId, wanted),
    total: await countCustomerEvents(ctx, memberId, wanted)
  }
}
