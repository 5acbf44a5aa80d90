import { bool, type Ctx, int, nullable, row, sql, textList } from '#kit/postgres'
import { tagKey } from '#platform'
import type { LoyaltyRule } from '../rules/rule.ts'
import { areTiersOn } from '../tiers/tier-stores.ts'

/** What decides for whom a rule is. */
export type CustomerStanding = {
  /** They have a membership that is active, their own or a gift; a subscription to products is none. */
  isMember: boolean
  /** The tier of loyalty that they are in; null for none, and while tiers are off. */
  tierId: number | null
  /** Keys of the tags that they have on the platform (`tagKey`). */
  tags: string[]
  /** 150: points for each unit of money are multiplied by 1.5. */
  multiplierHundredths: number
}

/** The standing of somebody of whom the store has nothing yet. */
export const NEW_CUSTOMER: CustomerStanding = { isMember: false, tierId: null, tags: [], multiplierHundredths: 100 }

/** The standing of customers now. */
export async function listStandings(ctx: Ctx, memberIds: number[]): Promise<Map<number, CustomerStanding>> {
  const hasTiers = await areTiersOn(ctx)
  const rows = await ctx.tx.many(
    row({ id: int, isMember: bool, tierId: nullable(int), multiplierHundredths: int, tags: textList }),
    sql`
    select m.id,
           m.status is not distinct from 'active' and exists (
             select from subscriptions s join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id and p.type <> 'product'
              where s.store_id = ${ctx.storeId} and s.status = 'active'
                and (s.member_id = m.id or s.receiver_member_id = m.id) and coalesce(s.receiver_member_id, s.member_id) = m.id) as is_member,
           l.id as tier_id,
           coalesce(l.multiplier_hundredths, 100) as multiplier_hundredths,
           array(select g.tag_key from customer_tags g
                  where g.store_id = ${ctx.storeId} and g.member_id = m.id and g.is_present) as tags
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

/** Whether a rule is for a customer: who has one of its tiers, if it names any, and is among those that `customer_settings` names. */
export function isFor({ rules }: Pick<LoyaltyRule, 'rules'>, standing: CustomerStanding): boolean {
  const tierIds = rules.tier_ids as number[]
  if (tierIds.length > 0 && !tierIds.some((id) => id === standing.tierId)) return false
  const settings = rules.customer_settings as CustomerSettings
  return isNamed(settings, standing) === (settings.action === 'include')
}

function isNamed({ apply_to, tags: named }: CustomerSettings, { isMember, tags }: CustomerStanding): boolean {
  if (apply_to === 'all') return true
  if (apply_to === 'members') return isMember
  if (apply_to === 'non_members') return !isMember
  return named.some((tag) => tags.includes(tagKey(tag)))
}
