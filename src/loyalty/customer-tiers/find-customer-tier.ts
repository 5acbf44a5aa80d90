import { type Ctx, instant, nullable, row, sql, text } from '#kit/postgres'
import { listTiers } from '../tiers/tier-queries.ts'
import { areTiersOn } from '../tiers/tier-stores.ts'
import { findCountedPoints } from './held-tiers.ts'

/** The tier of a customer; null for none. `reviewAt`: when it may be lost at the earliest; null: it needs nothing. */
export type ShownTier = { name: string; enteredAt: Temporal.Instant; reviewAt: Temporal.Instant | null }

/** The active tier above that of a customer. `pointsRemaining`: how many points it needs yet; null where it asks for none. */
export type NextTier = { name: string; pointsRemaining: number | null }

/** The tier of a customer, and the one above; none is above while tiers are off. */
export async function findCustomerTier(
  ctx: Ctx,
  memberId: number
): Promise<{ tier: ShownTier | null; nextTier: NextTier | null }> {
  const found = await ctx.tx.maybeOne(
    row({ name: text, enteredAt: instant, reviewAt: nullable(instant) }),
    sql`
    select l.name, t.entered_at, t.review_at
      from loyalty_customer_tiers t
      join loyalty_tiers l on l.store_id = ${ctx.storeId} and l.id = t.tier_id
     where t.store_id = ${ctx.storeId} and t.member_id = ${memberId}`
  )
  if (!(await areTiersOn(ctx))) return { tier: found, nextTier: null }
  const tiers = await listTiers(ctx)
  const place = tiers.find(({ name }) => name === found?.name)?.place ?? -1
  const next = tiers.find((tier) => tier.isActive && tier.place > place)
  if (!next) return { tier: found, nextTier: null }
  const { points_earned: needed } = next.entryRules
  const pointsRemaining = needed === null ? null : Math.max(0, needed - (await findCountedPoints(ctx, memberId)))
  return { tier: found, nextTier: { name: next.name, pointsRemaining } }
}
