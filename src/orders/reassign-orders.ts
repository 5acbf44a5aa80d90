import { type Ctx, sql } from '#kit/postgres'

/** Hands one customer's orders on to another, since the platform made them one. */
export async function reassignOrders(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  await ctx.tx.run(sql`
    update orders set member_id = ${toMember}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
}
