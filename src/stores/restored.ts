import { type Ctx, type Statement, sql } from '#kit/postgres'
import { forgetStoreContext } from './store-context.ts'

/**
 * Marks that the store's rows come from a backup: it is held from now on. `catching_up` holds its billing on a node with older
 * code too, which does not know `restored_at`.
 */
export async function markRestored(ctx: Ctx): Promise<void> {
  await ctx.tx.run(
    sql`update stores set restored_at = statement_timestamp(), catching_up = true, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId}`
  )
  forgetStoreContext(ctx)
}

/** The same for every store of the installation at once, also those that are being deleted. */
export const markAllRestored = (): Statement =>
  sql`update stores set updated_at = statement_timestamp(), restored_at = statement_timestamp(), catching_up = true`

/** Ends the hold of a restored store. False when it is not held. */
export async function unmarkRestored(ctx: Ctx): Promise<boolean> {
  const ended = await ctx.tx.run(
    sql`update stores set restored_at = null, catching_up = false, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId} and restored_at is not null`
  )
  forgetStoreContext(ctx)
  return ended > 0
}
