import { type Ctx, int, row, sql } from '#kit/postgres'
import type { FieldProblem } from '#kit/refusal'
import { storeContext } from '#stores'
import { loyaltyTierNotFound } from '../refusals.ts'
import { type LoyaltyTier, TierRow, tierOfRow } from './tier.ts'

/** All tiers, the lowest first. */
export async function listTiers(ctx: Ctx): Promise<LoyaltyTier[]> {
  const rows = await ctx.tx.many(
    TierRow,
    sql`
    select id, name, description, is_active, entry_rules, reward_rules, multiplier_hundredths, place, tag, created_at, updated_at
      from loyalty_tiers where store_id = ${ctx.storeId} order by place`
  )
  const { currency } = await storeContext(ctx)
  return rows.map((one) => tierOfRow(one, currency))
}

/** Refuses an id that names no tier of the store. */
export async function getTier(ctx: Ctx, id: number): Promise<LoyaltyTier> {
  const found = await ctx.tx.maybeOne(
    TierRow,
    sql`
    select id, name, description, is_active, entry_rules, reward_rules, multiplier_hundredths, place, tag, created_at, updated_at
      from loyalty_tiers where store_id = ${ctx.storeId} and id = ${id}`
  )
  if (!found) throw loyaltyTierNotFound(id)
  return tierOfRow(found, (await storeContext(ctx)).currency)
}

/** A problem for each id in a list of an input that names no tier of the store. Tiers are never deleted. */
export async function unknownTiers(ctx: Ctx, field: string, ids: number[]): Promise<FieldProblem[]> {
  if (ids.length === 0) return []
  const found = await ctx.tx.many(
    row({ id: int }),
    sql`select id from loyalty_tiers where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])`
  )
  const known = new Set(found.map(({ id }) => id))
  return ids.flatMap((id, i): FieldProblem[] =>
    known.has(id)
      ? []
      : [
          {
            field: `${field}[${i}]`,
            code: 'not_found',
            message: `must be the id of a tier of loyalty; there is no ${id}`
          }
        ]
  )
}

export type TierToWrite = {
  name: string
  description: string
  isActive: boolean
  entryRules: object
  rewardRules: object
  multiplierHundredths: number
  place: number
  tag: string
}

/** Returns its id. */
export async function insertTier(ctx: Ctx, tier: TierToWrite): Promise<number> {
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into loyalty_tiers (store_id, name, description, is_active, entry_rules, reward_rules, multiplier_hundredths, place, tag, created_at, updated_at)
    values (${ctx.storeId}, ${tier.name}, ${tier.description}, ${tier.isActive}, ${JSON.stringify(tier.entryRules)}::jsonb,
            ${JSON.stringify(tier.rewardRules)}::jsonb, ${tier.multiplierHundredths}, ${tier.place}, ${tier.tag}, ${ctx.now}, ${ctx.now})
    returning id`
  )
  return id
}

export async function writeTier(ctx: Ctx, id: number, tier: TierToWrite): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_tiers
       set name = ${tier.name}, description = ${tier.description}, is_active = ${tier.isActive},
           entry_rules = ${JSON.stringify(tier.entryRules)}::jsonb, reward_rules = ${JSON.stringify(tier.rewardRules)}::jsonb,
           multiplier_hundredths = ${tier.multiplierHundredths}, place = ${tier.place}, tag = ${tier.tag}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
}
