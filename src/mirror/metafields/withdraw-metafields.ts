import { type Ctx, sql } from '#kit/postgres'

/** From now on nothing is written for these customers, by our numbers: their data is to be erased. */
export async function withdrawMetafields(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into metafield_owners (store_id, kind, owner_id, is_withdrawn, changed_at)
    select ${ctx.storeId}, 'customer', m.id, true, ${ctx.now} from unnest(${memberIds}::bigint[]) as m(id) order by m.id
    on conflict (store_id, kind, owner_id) do update
      set is_withdrawn = true, version = metafield_owners.version + 1, due_at = null, problem = null`)
}
