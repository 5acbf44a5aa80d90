import { type Bound, type Ctx, int, row, sql } from '#kit/postgres'
import { lockMembers } from './queries.ts'

/**
 * Who was kept of these customers after merges on the platform, by our numbers: whoever was merged into another leads to that one, and
 * everybody else to themselves. One step leads there after any number of merges (`markCustomersMerged`).
 */
export async function followMerges(ctx: Bound, ids: number[]): Promise<Map<number, number>> {
  const rows = await ctx.tx.many(
    row({ id: int, kept: int }),
    sql`
    select id, merged_into as kept from members
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and merged_into is not null`
  )
  const kept = new Map(rows.map((merged) => [merged.id, merged.kept]))
  return new Map(ids.map((id) => [id, kept.get(id) ?? id]))
}

/**
 * Locks who was kept of a customer, and returns their number: until the transaction ends they are not merged into another. Whoever is merged
 * while we wait for the lock leads on, so it is looked again.
 */
export async function lockKeptCustomer(ctx: Ctx, id: number): Promise<number> {
  const locked = new Set<number>()
  for (let last = id; ; ) {
    await lockMembers(ctx, [last])
    locked.add(last)
    const kept = (await followMerges(ctx, [last])).get(last)!
    if (locked.has(kept)) return kept
    last = kept
  }
}
