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
  await tx.run(sql`update webhook_queue set day = ${String(to)}::date where day = ${String(from)}::date`)
}

export async function dropPartition(tx: Tx, unwanted: Temporal.PlainDate): Promise<void> {
  await tx.run(sql`select drop_webhook_partition(${String(unwanted)}::date)`)
}
