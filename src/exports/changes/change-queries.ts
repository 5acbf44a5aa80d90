import { type Ctx, int, row, sql } from '#kit/postgres'

const Id = row({ id: int })
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

/** The orders of customers, and the subscriptions that they pay for. */
export async function listRowsOfMembers(
  ctx: Ctx,
  memberIds: number[]
): Promise<{ orders: number[]; subscriptions: number[] }> {
  if (memberIds.length === 0) return { orders: [], subscriptions: [] }
  const orders = await ctx.tx.many(
    Id,
    sql`select id from orders where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`
  )
  const subscriptions = await ctx.tx.many(
    Id,
    sql`select id from subscriptions where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`
  )
  return { orders: idsOf(orders), subscriptions: idsOf(subscriptions) }
}

/** The orders that paid a cycle which these attempts were for: they show its failures. */
export async function listOrdersOfAttempts(ctx: Ctx, attemptIds: number[]): Promise<number[]> {
  if (attemptIds.length === 0) return []
  const rows = await ctx.tx.many(
    Id,
    sql`
    select distinct l.order_id as id
      from billing_attempts t
      join billing_attempts w on w.store_id = ${ctx.storeId} and w.subscription_id = t.subscription_id
       and w.cycle_index = t.cycle_index
      join order_links l on l.store_id = ${ctx.storeId} and l.subscription_id = w.subscription_id and l.attempt_id = w.id
     where t.store_id = ${ctx.storeId} and t.id = any(${attemptIds}::bigint[])`
  )
  return idsOf(rows)
}

/** The orders on which these entries of store credit were spent, or because of which they were written. */
export async function listOrdersOfEntries(ctx: Ctx, entryIds: number[]): Promise<number[]> {
  if (entryIds.length === 0) return []
  const rows = await ctx.tx.many(
    Id,
    sql`
    select distinct order_id as id from credit_entries
     where store_id = ${ctx.storeId} and id = any(${entryIds}::bigint[]) and order_id is not null`
  )
  return idsOf(rows)
}

/** Moves the change times of these rows to now; a time never goes back. */
export async function writeChanges(ctx: Ctx, kind: 'order' | 'subscription', ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx.run(sql`
    insert into export_changes as c (store_id, kind, row_id, changed_at)
    select ${ctx.storeId}, ${kind}, t.id, ${ctx.now} from unnest(${[...new Set(ids)]}::bigint[]) as t(id) order by t.id
    on conflict (store_id, kind, row_id) do update set changed_at = excluded.changed_at
      where c.changed_at < excluded.changed_at`)
}
