import { type Bound, type Ctx, int, row, sql } from '#kit/postgres'
import { lockMembers } from './queries.ts'

/**
 * Who was kept of these customers after merges on the platform, by our numbers: whoever was merged into another, perhaps several times,
 * leads to the last of them; whoever was not, to themselves.
 */
export async function followMerges(ctx: Bound, ids: number[]): Promise<Map<number, number>> {
  const rows = await ctx.tx.many(
    row({ id: int, kept: int }),
    sql`
    with recursive led as (
      select id, id as kept from unnest(${ids}::bigint[]) as t(id)
      union
      select l.id, m.merged_into from led l
        join members m on m.store_id = ${ctx.storeId} and m.id = l.kept and m.merged_into is not null)
    select l.id, l.kept from led l
      join members m on m.store_id = ${ctx.storeId} and m.id = l.kept and m.merged_into is null`
  )
  const kept = new Map(rows.map((led) => [led.id, led.kept]))
  return new Map(ids.map((id) => [id, kept.get(id) ?? id]))
}

/** Locks who was kept of a customer, and returns their number: until the transaction ends they are not merged into another. */
export async function lockKeptCustomer(ctx: Ctx, id: number): Promise<number> {
  for (let last = id; ; ) {
    await lockMembers(ctx, [last])
    const kept = (await followMerges(ctx, [last])).get(last)!
    if (kept === last) return last
    last = kept
  }
}
