import type { Ctx } from '#kit/postgres'
import { findPlan, listPlanVersions } from '#plans'
import { presentPlanWithVersions } from './present-plan.ts'

/** A plan as it is now, with its versions; null when it is not there. */
export async function planWithVersions(ctx: Ctx, planId: number) {
  const plan = await findPlan(ctx, planId)
  return plan && presentPlanWithVersions(plan, await listPlanVersions(ctx, planId))
}
