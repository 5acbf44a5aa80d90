import { type Ctx, int, row, sql } from '#kit/postgres'
import { LoggedFact } from './customer-events.ts'
import { BLOCK } from './event-span.ts'

/** Facts with one of these names after a position, up to another one. Up to `countedTo` blocks are counted. */
type Wanted = { names: string[]; after: number; end: number; countedTo: number; limit: number; offset: number }

/** Along the positions: nearly every fact is an event. */
export function listEventsAfter(ctx: Ctx, { names, after, end, limit, offset }: Wanted) {
  return ctx.tx.many(
    LoggedFact,
    sql`
    select id, position, name, data, occurred_at, request_id from facts
     where store_id = ${ctx.storeId} and position > ${after} and position <= ${end} and name = any(${names}::text[])
     order by position offset ${offset} limit ${limit}`
  )
}

/** The same for one name, which may be rare: only blocks in which it occurs are read, and those that are not counted. */
export function listEventsOfType(ctx: Ctx, wanted: Wanted) {
  const { names, end, limit, offset } = wanted
  const { after, headEnd, tailStart } = partsOf(wanted)
  const name = names[0]!
  const max = offset + limit
  return ctx.tx.many(
    LoggedFact,
    sql`
    select id, position, name, data, occurred_at, request_id
      from ((select id, position, name, data, occurred_at, request_id from facts
              where store_id = ${ctx.storeId} and position > ${after} and position <= ${headEnd} and name = ${name}
              order by position limit ${max})
            union all
            (select f.id, f.position, f.name, f.data, f.occurred_at, f.request_id
               from event_counts c
              cross join lateral (
                    select id, position, name, data, occurred_at, request_id from facts
                     where store_id = ${ctx.storeId} and position > c.counted_to - ${BLOCK}::bigint and position <= c.counted_to
                       and name = ${name}
                     order by position offset 0) f
              where c.store_id = ${ctx.storeId} and c.name = ${name} and c.counted_to > ${headEnd}
                and c.counted_to <= ${tailStart}
              order by c.counted_to, f.position limit ${max})
            union all
            (select id, position, name, data, occurred_at, request_id from facts
              where store_id = ${ctx.storeId} and position > ${tailStart} and position <= ${end} and name = ${name}
              order by position limit ${max})) e
     order by position offset ${offset} limit ${limit}`
  )
}

/** How many there are: blocks by their counts, at most a part of one before them and what is not yet counted one by one. */
export async function countEventsAfter(
  ctx: Ctx,
  wanted: Pick<Wanted, 'names' | 'after' | 'end' | 'countedTo'>
): Promise<number> {
  const { names, end } = wanted
  const { after, headEnd, tailStart } = partsOf(wanted)
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select (select count(*) from facts
             where store_id = ${ctx.storeId} and position > ${after} and position <= ${headEnd}
               and name = any(${names}::text[]))
         + (select count(*) from facts
             where store_id = ${ctx.storeId} and position > ${tailStart} and position <= ${end}
               and name = any(${names}::text[]))
         + (select coalesce(sum(h.through - coalesce(l.through, 0)), 0)::bigint
              from unnest(${names}::text[]) as n(name)
             cross join lateral (
                   select through from event_counts
                    where store_id = ${ctx.storeId} and name = n.name and counted_to <= ${tailStart}
                    order by counted_to desc limit 1) h
              left join lateral (
                   select through from event_counts
                    where store_id = ${ctx.storeId} and name = n.name and counted_to <= ${headEnd}
                    order by counted_to desc limit 1) l on true
             where ${headEnd}::bigint < ${tailStart}::bigint) as count`
  )
  return count
}

/**
 * What is counted of the facts after `after`: the blocks from `headEnd` to `tailStart`. Before and after them facts are read one
 * by one; without such blocks the head is everything and the tail empty.
 */
export function partsOf({ after, end, countedTo }: Pick<Wanted, 'after' | 'end' | 'countedTo'>): {
  after: number
  headEnd: number
  tailStart: number
} {
  const edge = Math.ceil(after / BLOCK) * BLOCK
  return edge < countedTo ? { after, headEnd: edge, tailStart: countedTo } : { after, headEnd: end, tailStart: end }
}
