import { type Ctx, instant, int, row, sql } from '#kit/postgres'

/** What is placed from now on has consequences on the platform. Does nothing where that was said before. */
export async function beginOrders({ tx, storeId, now }: Ctx): Promise<void> {
  await tx.run(sql`
    insert into order_beginnings (store_id, begins_at) values (${storeId}, ${now}) on conflict (store_id) do nothing`)
}

/** Which of these orders were placed before the store was connected. */
export async function listPastOrders({ tx, storeId }: Ctx, ids: number[]): Promise<Set<number>> {
  const past = await tx.many(
    row({ id: int }),
    sql`
    select o.id from orders o
      join order_beginnings b on b.store_id = ${storeId} and o.processed_at < b.begins_at
     where o.store_id = ${storeId} and o.id = any(${ids}::bigint[])`
  )
  return new Set(past.map(({ id }) => id))
}

/** Since when what happens in the store is not its past: its connection; null where an earlier version has connected it. */
export async function findBeginning({ tx, storeId }: Ctx): Promise<Temporal.Instant | null> {
  const found = await tx.maybeOne(
    row({ beginsAt: instant }),
    sql`select begins_at from order_beginnings where store_id = ${storeId}`
  )
  return found?.beginsAt ?? null
}
