// The events that one request caused: few, so they are found by it and counted.
import { type Ctx, int, row, sql } from '#kit/postgres'
import { LoggedFact } from './customer-events.ts'

type Wanted = { names: string[]; after: number; end: number; limit: number }

export function listRequestEvents(ctx: Ctx, requestId: string, { names, after, end, limit }: Wanted) {
  return ctx.tx.many(
    LoggedFact,
    sql`
    select id, position, name, data, occurred_at, request_id from facts
     where store_id = ${ctx.storeId} and request_id = ${requestId} and name = any(${names}::text[])
       and position > ${after} and position <= ${end}
     order by position limit ${limit}`
  )
}

export function listLatestOfRequest(ctx: Ctx, requestId: string, { names, after, end, limit }: Wanted) {
  return ctx.tx.many(
    LoggedFact,
    sql`
    select id, position, name, data, occurred_at, request_id from facts
     where store_id = ${ctx.storeId} and request_id = ${requestId} and name = any(${names}::text[])
       and position > ${after} and position <= ${end}
     order by position desc limit ${limit}`
  )
}

export async function countRequestEvents(
  ctx: Ctx,
  requestId: string,
  { names, after, end }: Omit<Wanted, 'limit'>
): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from facts
     where store_id = ${ctx.storeId} and request_id = ${requestId} and name = any(${names}::text[])
       and position > ${after} and position <= ${end}`
  )
  return count
}
