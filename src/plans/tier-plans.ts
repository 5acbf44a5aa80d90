import type { Plan } from './plan.ts'
import type { Tier, TierPlan } from './pricing/index.ts'

/** The tier that a plan's membership gives; null for a plan of products. */
export const tierOf = ({ type }: Plan): Tier | null => (type === 'product' ? null : type)

/** A membership plan as prices see it. */
export const tierPlanOf = ({ name, tierName, perks }: Plan): TierPlan => ({ label: tierName ?? name, perks })
