import { type Ctx, sql } from '#kit/postgres'
import { refreshCustomerTags } from './refresh-customer-tags.ts'
import { markDue } from './tag-queries.ts'

/**
 * Follows a merge of two customers, by our numbers: the platform gives the one that it keeps the tags of both. A tag that we had
 * added to the other is ours there too, unless the kept one had it before.
 */
export async function transferTags(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  await refreshCustomerTags(ctx, [fromMember, toMember])
  await ctx.tx.run(sql`
    insert into tag_owners (store_id, kind, owner_id, changed_at)
    select ${ctx.storeId}, 'customer', ${toMember}::bigint, ${ctx.now}
      from (select owner_id from tag_owners
             where store_id = ${ctx.storeId} and kind = 'customer' and owner_id = ${fromMember} offset 0) as o
    on conflict (store_id, kind, owner_id) do nothing`)
  await ctx.tx.run(sql`
    insert into known_tags (store_id, kind, owner_id, tag_key, tag, is_ours)
    select ${ctx.storeId}, 'customer', ${toMember}::bigint, k.tag_key, k.tag, true
      from (select tag_key, tag from known_tags
             where store_id = ${ctx.storeId} and kind = 'customer' and owner_id = ${fromMember} and is_ours offset 0) as k
    on conflict (store_id, kind, owner_id, tag_key) do nothing`)
  await markDue(
    ctx,
    [fromMember, toMember].map((ownerId) => ({ kind: 'customer', ownerId }))
  )
}
