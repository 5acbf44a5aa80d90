import { type Ctx, int, nullable, row, sql } from '#kit/postgres'

/** Positions are counted in blocks of so many (the table event_counts). */
export const BLOCK = 256

/**
 * The part of a store's facts that can be read: those after `start` are all kept, and up to `end` none is missing. Positions are
 * given without waiting for the disk, and are sure when the consumer of events has passed them; how far it was once it stays.
 */
type EventSpan = { start: number; end: number }

const Span = row({ prunedThrough: int, first: nullable(int), end: int, countedTo: nullable(int) })

/** The span at this moment, and the end of the last block that is counted; null where none is. */
export async function readSpan(ctx: Ctx): Promise<EventSpan & { countedTo: number | null }> {
  const { prunedThrough, first, end, countedTo } = await ctx.tx.one(
    Span,
    sql`
    select coalesce((select pruned_through from fact_history where store_id = ${ctx.storeId}), 0) as pruned_through,
           (select position from facts where store_id = ${ctx.storeId} and position is not null
             order by position limit 1) as first,
           coalesce((select furthest from fact_consumers
                      where store_id = ${ctx.storeId} and consumer = 'webhooks'), 0) as end,
           (select counted_to from event_count_marks where store_id = ${ctx.storeId}) as counted_to`
  )
  // Older code removed facts without a note.
  const start = Math.min(end, Math.max(prunedThrough, first === null ? end : first - 1))
  return { start, end, countedTo }
}
