import { type Ctx, row, sql, text } from '#kit/postgres'
import { type Connector, type PlatformResult, succeeded } from '#platform'
import { wasReached } from '../was-reached.ts'

/** The tags on the platform that we have added to these customers, by our numbers. */
export async function listOurTags(ctx: Ctx, memberIds: number[]): Promise<string[]> {
  const found = await ctx.tx.many(
    row({ tag: text }),
    sql`
    select distinct t.tag from unnest(${memberIds}::bigint[]) as m(id)
      join known_tags t on t.store_id = ${ctx.storeId} and t.kind = 'customer' and t.owner_id = m.id and t.is_ours
     order by t.tag`
  )
  return found.map(({ tag }) => tag)
}

/**
 * Removes tags on the platform from customers, by the platform's numbers: discounts go by them. Fails only where the platform was not reached,
 * as `deleteCustomerMetafields` does.
 */
export async function removeCustomerTags(
  { tags: api }: Connector,
  customerIds: string[],
  tags: string[]
): Promise<PlatformResult<null>> {
  if (tags.length === 0) return succeeded(null)
  for (const id of customerIds) {
    const removed = await api.remove('customer', id, tags)
    if (!removed.ok && !wasReached(removed.failure)) return removed
  }
  return succeeded(null)
}
