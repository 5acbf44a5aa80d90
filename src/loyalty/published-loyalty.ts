import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { pointsForPurchases } from './rules/points-for-purchases/points-for-purchases.ts'
import type { LoyaltyRule } from './rules/rule.ts'
import { listRules } from './rules/rule-queries.ts'
import { loyaltyRulesOf } from './rules/rules-field.ts'
import { loyaltySettings } from './settings.ts'
import { listTemplates } from './templates/template-queries.ts'
import { loyaltyTemplatesOf } from './templates/templates-field.ts'
import { listTiers } from './tiers/tier-queries.ts'
import { loyaltyTiersOf } from './tiers/tiers-field.ts'

/** What the metafields of the shop say of loyalty (spec 3, svc_loyalty_…). */
export async function publishedLoyalty(ctx: Ctx) {
  const { enabled, tiers: tiersSetting } = await settingsOf(ctx, loyaltySettings)
  const [rules, tiers, templates] = [await listRules(ctx), await listTiers(ctx), await listTemplates(ctx)]
  return {
    settings: {
      loyalty_enabled: enabled === 'on' && [...rules, ...templates].some(({ isActive }) => isActive),
      tiers_enabled: tiersSetting === 'on' && tiers.some(({ isActive }) => isActive),
      ratio_points: ratioOf(rules),
      reward_type: 'points' as const
    },
    tiers: loyaltyTiersOf(tiers),
    rules: loyaltyRulesOf(rules),
    templates: loyaltyTemplatesOf(templates)
  }
}

/** Points for each unit of money by the first active rule for purchases; 0 without one. */
function ratioOf(rules: LoyaltyRule[]): number {
  const first = rules.find(({ type, isActive }) => isActive && type.name === pointsForPurchases.name)
  return first ? (first.rules.points_per_dollar as number) : 0
}
