import { dueQuery, type LeaseRelease } from '#kit/engines'
import { directSql, sql } from '#kit/postgres'

/** In two steps, so that the queue is looked up by store, endpoint and time: retries that wait for later are not read. */
export const dueDeliveries = dueQuery(
  'webhooks_due',
  `with e as materialized (
     select e.store_id, e.id, s.until
       from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
       join webhook_endpoints e on e.store_id = s.store_id and e.status = 'enabled' and e.kind = 'url')
   select q.store_id, min(q.next_try_at) as due_at
     from e join webhook_queue q on q.store_id = e.store_id and q.endpoint_id = e.id and q.ready and q.next_try_at <= e.until
    where q.leased_until is null or q.leased_until < statement_timestamp()
    group by q.store_id`
)

/** Of the whole store: the earliest delivery that we are to send, leased or not. */
export const nextDelivery = directSql<[storeId: number]>(
  'webhooks_next_due',
  `select d.next_try_at
     from webhook_endpoints e
    cross join lateral (
          select o.next_try_at from webhook_queue o
           where o.store_id = $1 and o.endpoint_id = e.id and o.ready
           order by o.next_try_at, o.delivery_id limit 1) d
    where e.store_id = $1 and e.status = 'enabled' and e.kind = 'url'
    order by d.next_try_at limit 1`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseLeasedDeliveries: LeaseRelease = (owners) => sql`
  update webhook_queue set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
