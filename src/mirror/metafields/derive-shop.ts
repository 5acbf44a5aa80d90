import type { Ctx } from '#kit/postgres'
import { publishedLoyalty } from '#loyalty'
import { findMainPlans, listPlans, planSettingsOf } from '#plans'
import { listStorefrontSettings } from '#storefront-settings'
import { listCampaigns, saleCampaignsOf } from '#wallet'
import { isPriceFunctionActive } from './discount-owners.ts'
import { general } from './shop/general.ts'
import { loyaltyCoupons } from './shop/svc-loyalty-coupons.ts'
import { loyaltyRules } from './shop/svc-loyalty-rules.ts'
import { loyaltySettings } from './shop/svc-loyalty-settings.ts'
import { loyaltyTiers } from './shop/svc-loyalty-tiers.ts'
import { planSettings } from './shop/svc-plan-settings.ts'
import { planSettings2 } from './shop/svc-plan-settings2.ts'
import { walletPassSaleCampaigns } from './shop/svc-wallet-pass-sale-campaigns.ts'
import { type Wanted, want, wantText } from './wanted-metafields.ts'

/** The metafields of the shop as they are to be now. */
export async function deriveShopMetafields(ctx: Ctx): Promise<Wanted> {
  const { vip, elite } = await findMainPlans(ctx, await listPlans(ctx))
  const functions = { vipDiscount: await isPriceFunctionActive(ctx) }
  const wanted: Wanted = new Map()
  want(wanted, general, true)
  want(wanted, planSettings, planSettingsOf(vip, functions))
  if (elite) want(wanted, planSettings2, planSettingsOf(elite, functions))
  for (const { setting, value } of await listStorefrontSettings(ctx)) wantText(wanted, setting, value)
  const loyalty = await publishedLoyalty(ctx)
  want(wanted, loyaltySettings, loyalty.settings)
  want(wanted, loyaltyTiers, loyalty.tiers)
  want(wanted, loyaltyRules, loyalty.rules)
  want(wanted, loyaltyCoupons, loyalty.templates)
  want(wanted, walletPassSaleCampaigns, saleCampaignsOf(await listCampaigns(ctx)))
  return wanted
}
