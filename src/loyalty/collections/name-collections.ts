import { record } from '#kit/outbox'
import { type Ctx, row, sql, text } from '#kit/postgres'
import { loyaltyCollectionKnown } from '../events/loyalty-collection-known.ts'

/**
 * Follows the rules: collections that one names now are to be read, and what is known of those that none names any more is forgotten. Safe to
 * repeat.
 */
export async function nameCollections(ctx: Ctx): Promise<void> {
  const named = await listNamed(ctx)
  await ctx.tx.run(sql`
    insert into loyalty_collections (store_id, collection_id, due_at)
    select ${ctx.storeId}, n.id, ${ctx.now} from unnest(${named}::text[]) as n(id) order by n.id
    on conflict (store_id, collection_id) do nothing`)
  const dropped = await ctx.tx.many(
    row({ collectionId: text }),
    sql`
    delete from loyalty_collections where store_id = ${ctx.storeId} and collection_id <> all(${named}::text[])
    returning collection_id`
  )
  if (dropped.length === 0) return
  await ctx.tx.run(sql`
    delete from loyalty_collection_products
     where store_id = ${ctx.storeId} and collection_id = any(${dropped.map(({ collectionId }) => collectionId)}::text[])`)
  await record(ctx, ...dropped.map(loyaltyCollectionKnown))
}

async function listNamed(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ id: text }),
    sql`
    select distinct c.id from loyalty_rules r cross join jsonb_array_elements_text(r.rules->'collection_ids') as c(id)
     where r.store_id = ${ctx.storeId} and r.archived_at is null order by c.id`
  )
  return rows.map(({ id }) => id)
}
