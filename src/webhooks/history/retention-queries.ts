// The history's partitions, over all stores.
import { day, row, sql, type Tx } from '#kit/postgres'

const Day = row({ day })

/** Today, and the days that have a partition, the first one first. */
export async function listPartitions(tx: Tx): Promise<{ today: Temporal.PlainDate; known: Temporal.PlainDate[] }> {
  const today = await tx.one(Day, sql`select (clock_timestamp() at time zone 'UTC')::date as day`)
  // By one snapshot: webhook_partitions() asks for names by a newer one, and gets a number for a day that is just being dropped.
  const known = await tx.many(
    Day,
    sql`
    select to_date(right(c.relname, 8), 'YYYYMMDD') as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'webhook_deliveries'::regclass and c.relname ~ '_[0-9]{8}$' order by 1`
  )
  return { today: today.day, known: known.map((k) => k.day) }
}

/** Tries again later rather than let the sender wait for a long read. */
const cancelPartition = sql`set local lock_timeout = '3s'`

export async function createPartition(tx: Tx, wanted: Temporal.PlainDate): Promise<void> {
  await tx.run(cancelPartition)
  // One process at a time: another one may be making it.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('webhook_partitions', 0))`)
  await tx.run(sql`select create_webhook_partition(${String(wanted)}::date)`)
}

/** Moves open deliveries and their tries to the present day. Until the commit nothing can be added to the old one. */
export async function moveOpenDeliveries(tx: Tx, from: Temporal.PlainDate, to: Temporal.PlainDate): Promise<void> {
  await tx.run(cancelPartition)
  // The queue first, as the sender locks.
  await tx.run(sql`lock table webhook_queue in share row exclusive mode`)
  await tx.run(sql`lock table webhook_deliveries, webhook_tries in access exclusive mode`)
  await tx.run(sql`
    update webhook_tries t set day = ${String(to)}::date
      from webhook_queue q
     where q.day = ${String(from)}::date and t.store_id = q.store_id and t.day = q.day and t.delivery_id = q.delivery_id`)
  await tx.run(sql`
    update webhook_deliveries d set day = ${String(to)}::date
      from webhook_queue q
     where q.day = ${String(from)}::date and d.store_id = q.store_id and d.day = q.day and d.id = q.delivery_id`)
  await tx.run(sql`
    insert into webhook_delivery_counts (store_id, endpoint_id, day, deliveries)
    select q.store_id, q.endpoint_id, ${String(to)}::date, q.deliveries
      from (select store_id, endpoint_id, count(*) as deliveries from webhook_queue where day = ${String(from)}::date
             group by store_id, endpoint_id offset 0) q
     order by 1, 2
    on conflict (store_id, endpoint_id, day) do update
      set deliveries = webhook_delivery_counts.deliveries + excluded.deliveries`)
  await tx.run(sql`delete from webhook_delivery_counts where day = ${String(from)}::date`)
  await tx.run(sql`update webhook_queue set day = ${String(to)}::date where day = ${String(from)}::date`)
}

/** Days on which no more deliveries are made, an hour after their end, and which are not yet counted for good. */
export async function listUncountedDays(tx: Tx): Promise<Temporal.PlainDate[]> {
  const days = await tx.many(
    Day,
    sql`
    select d as day from webhook_partitions() d
     where d < ((clock_timestamp() - interval '1 hour') at time zone 'UTC')::date
       and not exists (select from webhook_delivery_counts c where c.day = d and c.is_final) order by 1`
  )
  return days.map(({ day }) => day)
}

/** An endpoint's number is unique in the database, so that the index of endpoints alone is read. */
export async function countDay(tx: Tx, counted: Temporal.PlainDate): Promise<void> {
  await tx.run(sql`
    insert into webhook_delivery_counts (store_id, endpoint_id, day, deliveries, is_final)
    select c.store_id, c.endpoint_id, ${String(counted)}::date, c.deliveries, true
      from (select e.store_id, d.endpoint_id, d.deliveries
              from (select endpoint_id, count(*) as deliveries from webhook_deliveries
                     where day = ${String(counted)}::date group by endpoint_id) d
              join webhook_endpoints e on e.id = d.endpoint_id
            offset 0) c
     order by 1, 2
    on conflict (store_id, endpoint_id, day) do update set deliveries = excluded.deliveries, is_final = true`)
}

export async function dropPartition(tx: Tx, unwanted: Temporal.PlainDate): Promise<void> {
  await tx.run(sql`select drop_webhook_partition(${String(unwanted)}::date)`)
}
