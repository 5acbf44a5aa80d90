import { internalId } from '#kit/ids'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { gid, type ProfileName } from '#platform'

/** Our number of the order that is given by our id, by the platform's number or by its global id; null if the store has none. */
export async function findOrderId(ctx: Ctx, given: string, profile: ProfileName): Promise<number | null> {
  const prefix = gid(profile, 'Order', '')
  const number = given.startsWith(prefix) ? given.slice(prefix.length) : given
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    select id from orders
     where store_id = ${ctx.storeId}
       and (id = ${internalId('ord', given)} or platform_order_id = ${/^[0-9]{1,20}$/.test(number) ? number : null})
     limit 1`
  )
  return found?.id ?? null
}
