// The events of one customer: few, so they are found by their ordering key and counted.
import { type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

export const LoggedFact = row({
  id: int,
  position: int,
  name: text,
  data: text,
  occurredAt: instant,
  requestId: nullable(text)
})
export type LoggedFact = RowOf<typeof LoggedFact>

type Wanted = { names: string[]; after: number; end: number; limit: number; offset: number }

/** Facts have their customer as ordering key; before that, those about a subscription had the subscription. */
export function listCustomerEvents(ctx: Ctx, memberId: number, { names, after, end, limit, offset }: Wanted) {
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
     order by position offset ${offset} limit ${limit}`
  )
}

export async function countCustomerEvents(
  ctx: Ctx,
  memberId: number,
  { names, after, end }: Pick<Wanted, 'names' | 'after' | 'end'>
): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from facts
     where store_id = ${ctx.storeId}
       and ordering_key = any(array(
           select 'member:' || ${memberId}::bigint
           union all
           select 'subscription:' || id from subscriptions where store_id = ${ctx.storeId} and member_id = ${memberId}))
       and (refs ->> 'memberId')::bigint = ${memberId} and name = any(${names}::text[])
       and position > ${after} and position <= ${end}`
  )
  return count
}
