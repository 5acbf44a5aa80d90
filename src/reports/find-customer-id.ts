import { internalId } from '#kit/ids'
import { type Ctx, int, row, sql } from '#kit/postgres'

/**
 * Whom a path or filter means: our `cust_…` id, the platform's number, or its global id, in that order. Null when the
 * store knows no such customer, and when the text is none of the three.
 */
export async function findCustomerId(ctx: Ctx, text: string): Promise<number | null> {
  const ours = internalId('cust', text)
  const platformId = /^(?:gid:\/\/[a-z]+\/Customer\/)?([0-9]{1,20})$/.exec(text)?.[1] ?? null
  if (ours === null && platformId === null) return null
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    select id from members
     where store_id = ${ctx.storeId} and (id = ${ours}::bigint or platform_customer_id = ${platformId}::text)`
  )
  return found?.id ?? null
}
