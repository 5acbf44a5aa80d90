import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { settingsOf } from '#stores'
import { loyaltySettings } from '../settings.ts'

/** The tag of the tier of each of these customers; those without one are not in it. While tiers are off nobody has one. */
export async function listTierTags(ctx: Ctx, memberIds: number[]): Promise<Map<number, string>> {
  if ((await settingsOf(ctx, loyaltySettings)).tiers === 'off') return new Map()
  const rows = await ctx.tx.many(
    row({ memberId: int, tag: text }),
    sql`
    select t.member_id, l.tag
      from loyalty_customer_tiers t
      join loyalty_tiers l on l.store_id = ${ctx.storeId} and l.id = t.tier_id and l.tag <> ''
     where t.store_id = ${ctx.storeId} and t.member_id = any(${memberIds}::bigint[])`
  )
  return new Map(rows.map(({ memberId, tag }) => [memberId, tag]))
}

/** Customers with a tier, or who had one, after this one, in order of id. */
export async function listTierCustomers(
  ctx: Ctx,
  { after, limit }: { after: number; limit: number }
): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select member_id from loyalty_customer_tiers
     where store_id = ${ctx.storeId} and member_id > ${after} order by member_id limit ${limit}`
  )
  return rows.map(({ memberId }) => memberId)
}
