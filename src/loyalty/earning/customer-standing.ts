import { bool, type Ctx, int, row, sql } from '#kit/postgres'
import type { LoyaltyRule } from '../rules/rule.ts'

/** What decides for whom a rule is. */
export type CustomerStanding = {
  /** They have a membership that is active. */
  isMember: boolean
  /** 150: points for each unit of money are multiplied by 1.5. */
  multiplierHundredths: number
}

/** The standing of somebody of whom the store has nothing yet. */
export const NEW_CUSTOMER: CustomerStanding = { isMember: false, multiplierHundredths: 100 }

/** The standing of customers now. */
export async function listStandings(ctx: Ctx, memberIds: number[]): Promise<Map<number, CustomerStanding>> {
  const rows = await ctx.tx.many(
    row({ id: int, isMember: bool }),
    sql`
    select id, status is not distinct from 'active' as is_member from members
     where store_id = ${ctx.storeId} and id = any(${memberIds}::bigint[])`
  )
  return new Map(rows.map(({ id, isMember }) => [id, { isMember, multiplierHundredths: 100 }]))
}

type CustomerSettings = {
  apply_to: 'all' | 'members' | 'non_members' | 'tags'
  action: 'include' | 'exclude'
  tags: string[]
}

/** Whether a rule is for a customer. */
export function isFor({ rules }: Pick<LoyaltyRule, 'rules'>, { isMember }: CustomerStanding): boolean {
  const { apply_to, action } = rules.customer_settings as CustomerSettings
  if ((rules.tier_ids as number[]).length > 0) return false
  const isNamed = apply_to === 'all' || (apply_to === 'members' ? isMember : apply_to === 'non_members' && !isMember)
  return isNamed === (action === 'include')
}
