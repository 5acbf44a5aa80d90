// Listeners: endpoints that fetch their deliveries. The time until which one counts as listening is real time.
import { bool, type Ctx, directSql, instant, int, nullable, row, sql, type Tx, text } from '#kit/postgres'
import { lockEndpoints } from '../endpoints/endpoint-queries.ts'

export async function countListeners(ctx: Ctx): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from webhook_endpoints
     where store_id = ${ctx.storeId} and kind = 'listener' and deleted_at is null and listening_until > clock_timestamp()`
  )
  return count
}

export function insertListener(ctx: Ctx, { events, secret }: { events: string[] | null; secret: Buffer }) {
  return ctx.tx.one(
    row({ id: int, listeningUntil: instant }),
    sql`
    insert into webhook_endpoints (store_id, kind, url, events, secret, listening_until, created_at, updated_at)
    values (${ctx.storeId}, 'listener', 'listen:', ${events}, ${secret}, clock_timestamp() + interval '60 seconds',
            ${ctx.now}, ${ctx.now})
    returning id, listening_until`
  )
}

/** Keeps it open for another minute. Returns false when its time was over already: a closed listener stays closed. */
export async function extendListener(ctx: Ctx, id: number): Promise<boolean> {
  const kept = await ctx.tx.run(sql`
    update webhook_endpoints set listening_until = statement_timestamp() + interval '60 seconds'
     where store_id = ${ctx.storeId} and id = ${id} and kind = 'listener' and deleted_at is null
       and listening_until > statement_timestamp()`)
  return kept > 0
}

export const ListenerState = row({ listens: bool, due: bool })

/** Whether a listener is open, and whether something is due for it that is not leased. No row: it never existed. */
export const listenerState = directSql<[storeId: number, endpointId: number]>(
  'webhooks_listener_state',
  `select e.deleted_at is null and e.listening_until > clock_timestamp() as listens,
          exists (
            select from webhook_queue q
             where q.store_id = $1 and q.endpoint_id = e.id and q.ready
               and q.next_try_at <= coalesce(s.clock_at, clock_timestamp())
               and (q.leased_until is null or q.leased_until < clock_timestamp())) as due
     from webhook_endpoints e join stores s on s.store_id = e.store_id
    where e.store_id = $1 and e.id = $2 and e.kind = 'listener'`
)

/** Closed ones too. */
export async function knowsListener(ctx: Ctx, id: number): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`select id from webhook_endpoints where store_id = ${ctx.storeId} and id = ${id} and kind = 'listener'`
  )
  return found !== null
}

/** Leases of a listener have no owner: the end of a process of ours does not release them. */
export async function releaseLeases(ctx: Ctx, deliveryIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_queue set lease_owner = null
     where store_id = ${ctx.storeId} and delivery_id = any(${deliveryIds}::bigint[])`)
}

/** What is leased to a listener. */
export function listStarted(ctx: Ctx, endpointId: number) {
  return ctx.tx.many(
    row({
      id: int,
      day: text,
      endpointId: int,
      orderingKey: text,
      tries: int,
      triesBefore: int,
      maxTries: nullable(int),
      leaseToken: int,
      startedAt: nullable(instant)
    }),
    sql`
    select delivery_id as id, day::text as day, endpoint_id, ordering_key, tries, tries_before, max_tries, lease_token,
           started_at
      from webhook_queue
     where store_id = ${ctx.storeId} and endpoint_id = ${endpointId} and started order by delivery_id`
  )
}

/** Returns whether there was one to close; with `silentOnly` one that has not fetched for a minute. */
export async function markClosed(ctx: Ctx, id: number, { silentOnly }: { silentOnly: boolean }): Promise<boolean> {
  await lockEndpoints(ctx, [id])
  const closed = await ctx.tx.run(sql`
    update webhook_endpoints
       set status = 'disabled', disabled_reason = 'No longer listens', disabled_at = ${ctx.now}, deleted_at = ${ctx.now},
           updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and kind = 'listener' and deleted_at is null
       and (not ${silentOnly}::boolean or listening_until <= statement_timestamp())`)
  return closed > 0
}

/** Over all stores. */
export function listSilent(tx: Tx) {
  return tx.many(
    row({ storeId: int, id: int }),
    sql`
    select store_id, id from webhook_endpoints
     where kind = 'listener' and deleted_at is null and listening_until <= clock_timestamp() order by store_id, id`
  )
}

/**
 * Over all stores: closed listeners that no history names, which would pile up. The offset has each looked up by itself;
 * a join might read all of the history.
 */
export async function deleteForgotten(tx: Tx): Promise<void> {
  await tx.run(sql`
    delete from webhook_endpoints e
     where e.kind = 'listener' and e.deleted_at is not null
       and not exists (
             select from webhook_deliveries d where d.store_id = e.store_id and d.endpoint_id = e.id offset 0)`)
}
