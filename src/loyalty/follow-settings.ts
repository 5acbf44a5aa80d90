import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { askForReferrals } from './referral-codes/program-queries.ts'
import { countFromNow } from './rules/rule-queries.ts'
import { loyaltySettings } from './settings.ts'
import { followTierSettings } from './tiers/tier-stores.ts'

/** Whether loyalty is on: customers earn and spend. */
export const isLoyaltyOn = async (ctx: Ctx): Promise<boolean> =>
  (await settingsOf(ctx, loyaltySettings)).enabled === 'on'

/** Follows a change of the settings of loyalty, in its transaction. What was done while loyalty was off counts for nothing later. */
export async function followLoyaltySettings(ctx: Ctx, { wasOn }: { wasOn: boolean }): Promise<void> {
  if (!wasOn && (await isLoyaltyOn(ctx))) await countFromNow(ctx)
  await followTierSettings(ctx)
  await askForReferrals(ctx)
}
