import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { listPlans, type Plan } from '#plans'
import { refused } from '../import.ts'

/** Finds plans by the value of a file's `plan` column. */
export type PlanFinder = { find(reference: string): Plan | undefined }

/** Finds by id (`plan_7`) or by name, ignoring case. */
export async function planFinder(ctx: Ctx): Promise<PlanFinder> {
  const plans = await listPlans(ctx)
  const known = new Map(
    plans.flatMap((plan) => [[plan.name.toLowerCase(), plan] as const, [publicId('plan', plan.id), plan] as const])
  )
  return { find: (reference) => known.get(reference.trim().toLowerCase()) }
}

export const planNotFound = () => refused('plan_not_found', 'plan', 'There is no plan with this id or name')
