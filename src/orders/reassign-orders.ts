import { type Ctx, sql } from '#kit/postgres'

/** Moves the orders of one member to another, after the platform merged their customers. */
export async function reassignOrders(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  await ctx.tx.run(sql`
    update orders set member_id = ${toMember}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
}
