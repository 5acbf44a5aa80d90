import { type Ctx, row, sql, text } from '#kit/postgres'
import { ACTIVE_TAGS } from './wanted-tags.ts'

/**
 * From now on no tag is written for these customers, by our numbers: their data is to be erased. Returns the tags on the platform that we
 * have added. What was read of them is not recorded any more, so that nothing begins which is not among these; a call that was sent may
 * still arrive. Of customers who were erased before nothing is known any more: then it is every tag that we ever give to customers.
 */
export async function withdrawTags(ctx: Ctx, memberIds: number[]): Promise<string[]> {
  // Whoever records has locked the row: after this what they have recorded is seen below.
  await ctx.tx.run(sql`
    with o as (
      select owner_id from tag_owners
       where store_id = ${ctx.storeId} and kind = 'customer' and owner_id = any(${memberIds}::bigint[])
       order by owner_id for update)
    update tag_owners t set lease_token = t.lease_token + 1, lease_owner = null, leased_until = null, version = t.version + 1
      from o where t.store_id = ${ctx.storeId} and t.kind = 'customer' and t.owner_id = o.owner_id`)
  const everyTag = Object.values(ACTIVE_TAGS).filter((tag) => tag !== null)
  const found = await ctx.tx.many(
    row({ tag: text }),
    sql`
    select t.tag from unnest(${memberIds}::bigint[]) as m(id)
      join known_tags t on t.store_id = ${ctx.storeId} and t.kind = 'customer' and t.owner_id = m.id and t.is_ours
     union
    select e.tag from unnest(${everyTag}::text[]) as e(tag)
     where exists (select from members m
                    where m.store_id = ${ctx.storeId} and m.id = any(${memberIds}::bigint[]) and m.erased_at is not null)
     union
    select l.tag from loyalty_tiers l
     where l.store_id = ${ctx.storeId} and l.tag <> ''
       and exists (select from members m
                    where m.store_id = ${ctx.storeId} and m.id = any(${memberIds}::bigint[]) and m.erased_at is not null)
     order by tag`
  )
  return found.map(({ tag }) => tag)
}
