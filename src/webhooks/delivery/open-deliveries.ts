import { type Ctx, sql } from '#kit/postgres'

/**
 * Makes the next delivery of each of these ordering keys ready. A statement of its own after settling: it must see what was
 * added by a transaction that settling waited for.
 */
export async function releaseNextInOrder(ctx: Ctx, keys: { endpointId: number; orderingKey: string }[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_queue set ready = true
     where store_id = ${ctx.storeId} and delivery_id = any(array(
           select n.delivery_id
             from unnest(${keys.map((k) => k.endpointId)}::bigint[], ${keys.map((k) => k.orderingKey)}::text[])
                  as k(endpoint_id, ordering_key)
            cross join lateral (
                  select b.delivery_id from webhook_queue b
                   where b.store_id = ${ctx.storeId} and b.endpoint_id = k.endpoint_id and b.ordering_key = k.ordering_key
                     and not b.ready
                   order by b.delivery_id limit 1) n
            where not exists (
                  select from webhook_queue e
                   where e.store_id = ${ctx.storeId} and e.endpoint_id = k.endpoint_id and e.ordering_key = k.ordering_key
                     and e.first and e.delivery_id < n.delivery_id)))`)
}

/** Releases what was leased and never sent: its try did not start. */
export async function releaseDeliveries(ctx: Ctx, deliveries: { id: number; leaseToken: number }[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_queue q set started = false, started_at = null, lease_owner = null, leased_until = null
      from unnest(${deliveries.map((d) => d.id)}::bigint[], ${deliveries.map((d) => d.leaseToken)}::int[])
           as r(id, lease_token)
     where q.store_id = ${ctx.storeId} and q.delivery_id = r.id and q.lease_token = r.lease_token`)
}

/**
 * Cancels open deliveries. The result of a try under way is still recorded. Without nested loops: for a store that the statistics
 * do not know the planner would read all of its day once for each row.
 */
export async function cancelOpenDeliveries(ctx: Ctx, endpointIds: number[]): Promise<void> {
  await ctx.tx.run(sql`set local enable_nestloop = off`)
  await ctx.tx.run(sql`
    with open as (
      delete from webhook_queue
       where store_id = ${ctx.storeId} and endpoint_id = any(${endpointIds}::bigint[]) returning delivery_id, day)
    update webhook_deliveries d set undelivered_status = 'cancelled', undelivered_at = ${ctx.now}
      from open
     where d.store_id = ${ctx.storeId} and d.day = any(array(select distinct day from open))
       and d.day = open.day and d.id = open.delivery_id`)
  await ctx.tx.run(sql`set local enable_nestloop = on`)
}
