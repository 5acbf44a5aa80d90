import { type Ctx, sql } from '#kit/postgres'
import { retryContractDiscountsNow } from './contract-discounts/contract-discount-queries.ts'
import { retryMetafieldsNow } from './metafields/owner-queries.ts'
import { retryTagsNow } from './tags/tag-queries.ts'

/** Has everything tried again now that waits after a failure, or that the platform has refused: it lets the app do more than before. */
export async function retryMirror(ctx: Ctx): Promise<void> {
  await retryTagsNow(ctx)
  await retryMetafieldsNow(ctx)
  await retryContractDiscountsNow(ctx)
  await ctx.tx.run(sql`
    update tag_walks set next_at = statement_timestamp(), failures = 0 where store_id = ${ctx.storeId} and failures > 0`)
  await ctx.tx.run(sql`
    update metafield_stores set next_at = statement_timestamp(), failures = 0 where store_id = ${ctx.storeId} and failures > 0`)
  await ctx.tx.run(sql`
    update discount_stores set next_at = statement_timestamp(), failures = 0, is_asked = true
     where store_id = ${ctx.storeId} and last_error is not null`)
}
