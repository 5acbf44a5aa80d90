import { type Ctx, sql } from '#kit/postgres'

/**
 * Holds the configuration of loyalty until the transaction ends: two requests at once must not both be the last that a limit allows, take
 * the same place, or fill the last bytes of a metafield.
 */
export async function lockLoyalty(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_stores (store_id, changed_at) values (${ctx.storeId}, ${ctx.now})
    on conflict (store_id) do update set changed_at = excluded.changed_at`)
}
