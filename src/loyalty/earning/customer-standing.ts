import { bool, type Ctx, int, nullable, row, sql } from '#kit/postgres'
import type { LoyaltyRule } from '../rules/rule.ts'
import { areTiersOn } from '../tiers/tier-stores.ts'

/** What decides for whom a rule is. */
export type CustomerStanding = {
  /** They have a membership that is active. */
  isMember: boolean
  /** The tier of loyalty that they are in; null for none, and while tiers are off. */
  tierId: number | null
  /** 150: points for each unit of money are multiplied by 1.5. */
  multiplierHundredths: number
}

/** The standing of customers now. */
export async function listStandings(ctx: Ctx, memberIds: number[]): Promise<Map<number, CustomerStanding>> {
  const hasTiers = await areTiersOn(ctx)
  const rows = await ctx.tx.many(
    row({ id: int, isMember: bool, tierId: nullable(int), multiplierHundredths: int }),
    sql`
    select m.id, m.status is not distinct from 'active' as is_member, l.id as tier_id,
           coalesce(l.multiplier_hundredths, 100) as multiplier_hundredths
      from members m
      left join loyalty_customer_tiers t on t.store_id = ${ctx.storeId} and t.member_id = m.id
      left join loyalty_tiers l on l.store_id = ${ctx.storeId} and l.id = t.tier_id
     where m.store_id = ${ctx.storeId} and m.id = any(${memberIds}::bigint[])`
  )
  const without = hasTiers ? {} : { tierId: null, multiplierHundredths: 100 }
  return new Map(rows.map(({ id, ...standing }) => [id, { ...standing, ...without }]))
}

type CustomerSettings = {
  apply_to: 'all' | 'members' | 'non_members' | 'tags'
  action: 'include' | 'exclude'
  tags: string[]
}

/** Whether a rule is for a customer. */
export function isFor({ rules }: Pick<LoyaltyRule, 'rules'>, { isMember, tierId }: CustomerStanding): boolean {
  const { apply_to, action } = rules.customer_settings as CustomerSettings
  const tierIds = rules.tier_ids as number[]
  if (tierIds.length > 0 && !tierIds.some((id) => id === tierId)) return false
  const isNamed = apply_to === 'all' || (apply_to === 'members' ? isMember : apply_to === 'non_members' && !isMember)
  return isNamed === (action === 'include')
}
