import { type Ctx, sql } from '#kit/postgres'
import { holdsUntil } from '../tiers/review-period.ts'
import type { LoyaltyTier } from '../tiers/tier.ts'
import { claimTierRewards } from './customer-tier-queries.ts'
import { placeCustomers } from './place-customers.ts'

/**
 * Puts customers into tiers that they have had elsewhere, as if they had reached them now: a higher tier of theirs stays, and these hold to their
 * first review. What the tier and those below it give on entering counts as given. Each customer has no such tier yet, and their rows are locked.
 */
export async function grantTiers(
  ctx: Ctx,
  grants: { memberId: number; tier: LoyaltyTier }[],
  tiers: LoyaltyTier[]
): Promise<void> {
  if (grants.length === 0) return
  const until = await holdsUntil(ctx)
  await ctx.tx.run(sql`
    insert into loyalty_granted_tiers (store_id, member_id, tier_id, granted_at, holds_until)
    select ${ctx.storeId}, g.member_id, g.tier_id, ${ctx.now}, ${until}
      from unnest(${grants.map(({ memberId }) => memberId)}::bigint[], ${grants.map(({ tier }) => tier.id)}::bigint[]) as g(member_id, tier_id)
     order by g.member_id
    on conflict (store_id, member_id) do nothing`)
  await claimTierRewards(
    ctx,
    grants.flatMap(({ memberId, tier }) =>
      tiers.filter(({ place }) => place <= tier.place).map(({ id }) => ({ memberId, tierId: id }))
    )
  )
  await placeCustomers(
    ctx,
    grants.map(({ memberId }) => memberId)
  )
}
