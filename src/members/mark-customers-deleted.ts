import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { lockCustomers } from './queries.ts'

/**
 * These customers are gone from the platform, and stay what they were here: a member's history is the store's. Nothing is
 * pushed to the platform for them any more. Returns who was known.
 */
export async function markCustomersDeleted(ctx: Ctx, customerIds: string[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ platformCustomerId: text }),
    sql`
    update members set platform_deleted_at = ${ctx.now}, profile_pending = '{}'
     where store_id = ${ctx.storeId} and platform_customer_id = any(${customerIds}::text[]) and platform_deleted_at is null
    returning platform_customer_id`
  )
  return rows.map(({ platformCustomerId }) => platformCustomerId)
}

/** Two customers that the platform made one, by its numbers. */
export type MergedCustomers = { keptId: string; deletedId: string }

/**
 * Follows a merge. Where only one of the two was known, that one goes on under the number that was kept: null, nothing is to be
 * handed on. Where both were, the answer says from whom to whom the caller hands on what they have; both rows stay, and the
 * one that was merged leads to the other.
 */
export async function markCustomersMerged(
  ctx: Ctx,
  { keptId, deletedId }: MergedCustomers
): Promise<{ from: number; to: number } | null> {
  const known = new Map((await lockCustomers(ctx, [keptId, deletedId])).map((c) => [c.platformCustomerId, c.id]))
  const [from, to] = [known.get(deletedId), known.get(keptId)]
  if (from === undefined) return null
  if (to === undefined) {
    // What the platform last told was of the other one: of the one that was kept any news is newer.
    await ctx.tx.run(sql`
      update members set platform_customer_id = ${keptId}, platform_updated_at = null, updated_at = ${ctx.now}
       where store_id = ${ctx.storeId} and id = ${from}`)
    return null
  }
  const merged = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    update members set merged_into = ${to}, platform_deleted_at = ${ctx.now}, profile_pending = '{}', updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${from} and merged_into is null
    returning id`
  )
  return merged ? { from, to } : null
}
