import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { listPlans, type Plan } from '#plans'
import { refused } from '../import.ts'

export type PlanFinder = {
  /** By the value of a file's `plan` column. */
  find(reference: string): Plan | undefined
  /** The plan that sells a variant; undefined where none or several do. */
  findByVariant(variantId: string): Plan | undefined
}

/** Finds by id (`plan_7`) or by name, ignoring case. */
export async function planFinder(ctx: Ctx): Promise<PlanFinder> {
  const plans = await listPlans(ctx)
  const known = new Map(
    plans.flatMap((plan) => [[plan.name.toLowerCase(), plan] as const, [publicId('plan', plan.id), plan] as const])
  )
  return {
    find: (reference) => known.get(reference.trim().toLowerCase()),
    findByVariant(variantId) {
      const [plan, ...others] = plans.filter(({ platformVariantId }) => platformVariantId === variantId)
      return others.length === 0 ? plan : undefined
    }
  }
}

export const planNotFound = () => refused('plan_not_found', 'plan', 'There is no plan with this id or name')
