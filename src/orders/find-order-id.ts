import { internalId } from '#kit/ids'
import { type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { gid, type ProfileName } from '#platform'

/** Our number of the order that is given by our id, by the platform's number or by its global id; null if the store has none. */
export async function findOrderId(ctx: Ctx, given: string, profile: ProfileName): Promise<number | null> {
  return (await findOrderAndOwner(ctx, given, profile))?.id ?? null
}

/** The same, with the customer whose order it is: null for an order of nobody. */
export function findOrderAndOwner(
  ctx: Ctx,
  given: string,
  profile: ProfileName
): Promise<{ id: number; memberId: number | null } | null> {
  const prefix = gid(profile, 'Order', '')
  const number = given.startsWith(prefix) ? given.slice(prefix.length) : given
  return ctx.tx.maybeOne(
    row({ id: int, memberId: nullable(int) }),
    sql`
    select id, member_id from orders
     where store_id = ${ctx.storeId}
       and (id = ${internalId('ord', given)} or platform_order_id = ${/^[0-9]{1,20}$/.test(number) ? number : null})
     limit 1`
  )
}
