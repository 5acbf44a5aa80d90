// The list of events from its end back.
import { type Ctx, sql } from '#kit/postgres'
import { LoggedFact } from './customer-events.ts'
import { partsOf } from './event-log-queries.ts'
import { BLOCK } from './event-span.ts'

/** Facts with one of these names after a position, up to another one. Up to `countedTo` blocks are counted. */
type Wanted = { names: string[]; after: number; end: number; countedTo: number; limit: number }

/** Along the positions: nearly every fact is an event. */
export function listLatest(ctx: Ctx, { names, after, end, limit }: Wanted) {
  return ctx.tx.many(
    LoggedFact,
    sql`
    select id, position, name, data, occurred_at, request_id from facts
     where store_id = ${ctx.storeId} and position > ${after} and position <= ${end} and name = any(${names}::text[])
     order by position desc limit ${limit}`
  )
}

/** The same for one name, which may be rare: of the blocks that are counted only those in which it occurs are read. */
export function listLatestOfType(ctx: Ctx, wanted: Wanted) {
  const { names, end, limit } = wanted
  const { after, headEnd, tailStart } = partsOf(wanted)
  const name = names[0]!
  return ctx.tx.many(
    LoggedFact,
    sql`
    select id, position, name, data, occurred_at, request_id
      from ((select id, position, name, data, occurred_at, request_id from facts
              where store_id = ${ctx.storeId} and position > ${tailStart} and position <= ${end} and name = ${name}
              order by position desc limit ${limit})
            union all
            (select f.id, f.position, f.name, f.data, f.occurred_at, f.request_id
               from event_counts c
              cross join lateral (
                    select id, position, name, data, occurred_at, request_id from facts
                     where store_id = ${ctx.storeId} and position > c.counted_to - ${BLOCK}::bigint and position <= c.counted_to
                       and name = ${name}
                     order by position desc offset 0) f
              where c.store_id = ${ctx.storeId} and c.name = ${name} and c.counted_to > ${headEnd}
                and c.counted_to <= ${tailStart}
              order by c.counted_to desc, f.position desc limit ${limit})
            union all
            (select id, position, name, data, occurred_at, request_id from facts
              where store_id = ${ctx.storeId} and position > ${after} and position <= ${headEnd} and name = ${name}
              order by position desc limit ${limit})) e
     order by position desc limit ${limit}`
  )
}

/** Of one customer: few, so they are found by their ordering key. Before facts had their customer as ordering key, those about a subscription had the subscription. */
export function listLatestOfCustomer(ctx: Ctx, memberId: number, { names, after, end, limit }: Wanted) {
  return ctx.tx.many(
    LoggedFact,
    sql`
    select id, position, name, data, occurred_at, request_id from facts
     where store_id = ${ctx.storeId}
       and ordering_key = any(array(
           select 'member:' || ${memberId}::bigint
           union all
           select 'subscription:' || id from subscriptions where store_id = ${ctx.storeId} and member_id = ${memberId}))
       and (refs ->> 'memberId')::bigint = ${memberId} and name = any(${names}::text[])
       and position > ${after} and position <= ${end}
     order by position desc limit ${limit}`
  )
}
