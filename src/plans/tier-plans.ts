import type { Plan } from './plan.ts'
import { TIERS, type Tier, type TierPlan } from './pricing/index.ts'

/** The tier that a plan's membership gives; null for a plan of products. */
export const tierOf = ({ type }: Plan): Tier | null => (type === 'product' ? null : type)

/** The plan whose perks count for each tier: the oldest that is enabled. `plans` are in order of age. */
export function mainPlans(plans: readonly Plan[]): Record<Tier, Plan | null> {
  const main: Record<Tier, Plan | null> = { elite: null, vip: null }
  for (const tier of TIERS) main[tier] = plans.find(({ type, status }) => type === tier && status === 'enabled') ?? null
  return main
}

/** A membership plan as prices see it. */
export const tierPlanOf = ({ name, tierName, perks }: Plan): TierPlan => ({ label: tierName ?? name, perks })
