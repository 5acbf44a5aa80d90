import type { Plan } from './plan.ts'
import type { Tier, TierPlan } from './pricing/index.ts'

/** How people write the tiers. */
export const TIER_NAMES: Record<Tier, string> = { vip: 'VIP', elite: 'Elite' }

/** The tier that a plan's membership gives; null for a plan of products. */
export const tierOf = ({ type }: Plan): Tier | null => (type === 'product' ? null : type)

/** A membership plan as prices see it. */
const tierPlanOf = ({ name, tierName, perks }: Plan): TierPlan => ({ label: tierName ?? name, perks })

/** The main plans as prices see them. */
export const tierPlansOf = ({ vip, elite }: Record<Tier, Plan | null>): Record<Tier, TierPlan | null> => ({
  vip: vip && tierPlanOf(vip),
  elite: elite && tierPlanOf(elite)
})
