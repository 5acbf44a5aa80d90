import type { Ctx } from '#kit/postgres'
import { isLoyaltyOn } from './is-loyalty-on.ts'
import { askForReferrals } from './referral-codes/program-queries.ts'
import { countFromNow } from './rules/rule-queries.ts'
import { followTierSettings } from './tiers/tier-stores.ts'

/** Follows a change of the settings of loyalty, in its transaction. What was done while loyalty was off counts for nothing later. */
export async function followLoyaltySettings(ctx: Ctx, { wasOn }: { wasOn: boolean }): Promise<void> {
  if (!wasOn && (await isLoyaltyOn(ctx))) await countFromNow(ctx)
  await followTierSettings(ctx)
  await askForReferrals(ctx)
}
