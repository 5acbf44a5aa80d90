import { bool, type Ctx, int, row, sql } from '#kit/postgres'
import { MEMBER_REFS } from '#members'
import { ORDER_FACTS, spendingConsumer } from './refresh-accounts.ts'

/** Whether an order waits to be known, or to be followed: the platform's messages say which orders have moved credit. */
export async function isAnyOrderWaiting(ctx: Ctx): Promise<boolean> {
  const { waits } = await ctx.tx.one(
    row({ waits: bool }),
    sql`
    select exists (select from inbound_webhooks where store_id = ${ctx.storeId} and status = 'waiting')
        or exists (select from facts
                    where store_id = ${ctx.storeId} and position is null and name = any(${[...ORDER_FACTS]}::text[]))
        or exists (select from fact_consumers c
                     join facts f on f.store_id = ${ctx.storeId} and f.position > c.position and f.name = any(${[...ORDER_FACTS]}::text[])
                    where c.store_id = ${ctx.storeId} and c.consumer = ${spendingConsumer.name}) as waits`
  )
  return waits
}

/** Of whom an event has not been handled that will have their credit compared. */
export async function listChanging(ctx: Ctx, memberIds: number[]): Promise<Set<number>> {
  const { name, facts } = spendingConsumer
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    with asked as (select id, 'member:' || id as ordering_key from unnest(${memberIds}::bigint[]) as m(id))
    select a.id as member_id from asked a
     where exists (select from facts f
                    where f.store_id = ${ctx.storeId} and f.ordering_key = a.ordering_key and f.name = any(${facts}::text[])
                      and (f.position is null
                           or f.position > (select position from fact_consumers
                                             where store_id = ${ctx.storeId} and consumer = ${name})))
        -- A fact of a gift has the key of who pays.
        or exists (select from facts f, unnest(${[...MEMBER_REFS]}::text[]) as r(name)
                    where f.store_id = ${ctx.storeId} and f.name = any(${facts}::text[])
                      and (f.position is null
                           or f.position > (select position from fact_consumers
                                             where store_id = ${ctx.storeId} and consumer = ${name}))
                      and (f.refs ->> r.name)::bigint = a.id)
        or exists (select from fact_retries r
                    where r.store_id = ${ctx.storeId} and r.consumer = ${name} and r.ordering_key = a.ordering_key
                      and r.dead_at is null)`
  )
  return new Set(rows.map(({ memberId }) => memberId))
}
