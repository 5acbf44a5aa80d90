import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { listPlans, type Plan } from '#plans'
import { refused } from './import.ts'

/** Finds plans by what a file says of them. */
export type PlanFinder = { find(said: string): Plan | undefined }

/** By id (`plan_7`) or by name, in capitals or not. */
export async function planFinder(ctx: Ctx): Promise<PlanFinder> {
  const plans = await listPlans(ctx)
  const known = new Map(
    plans.flatMap((plan) => [[plan.name.toLowerCase(), plan] as const, [publicId('plan', plan.id), plan] as const])
  )
  return { find: (said) => known.get(said.trim().toLowerCase()) }
}

export const planNotFound = () => refused('plan_not_found', 'plan', 'There is no plan of this id or name')
