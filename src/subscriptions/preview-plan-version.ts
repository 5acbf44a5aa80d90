import type { Ctx } from '#kit/postgres'
import { listPlanVersions, type VersionOffer, type VersionTarget } from '#plans'
import { type KeptReason, planRepricing, type Repricing } from './plan-repricing.ts'
import { countByTerms, listBehindVersion, listRepriced, type Repriced } from './repricing-queries.ts'

/** How many subscriptions a version would change, and how many keep their terms, by reason. */
export type RepricingTotals = { changed: number; same: number; kept: Record<KeptReason, number> }

export type RepricingPreview = {
  totals: RepricingTotals
  /** A page, in order of id; `plan` is what the job of the version would do now. */
  subscriptions: { subscription: Repriced; plan: Repricing }[]
  /** The last subscription of the page; null where no page follows. */
  nextAfterId: number | null
}

/**
 * What a version of a plan would do to its running subscriptions, decided as the job decides it: the totals of all of them, and a page
 * after `afterId`. Nothing is written.
 */
export async function previewPlanVersion(
  ctx: Ctx,
  planId: number,
  wanted: VersionOffer,
  { target, afterId, limit }: { target: Exclude<VersionTarget, 'new'>; afterId: number; limit: number }
): Promise<RepricingPreview> {
  const versions = new Map((await listPlanVersions(ctx, planId)).map((one) => [one.version, one]))
  const behind = { planId, version: wanted.version }
  const totals: RepricingTotals = { changed: 0, same: 0, kept: { own_price: 0, own_interval: 0, plan_change: 0 } }
  for (const { count, ...terms } of await countByTerms(ctx, behind)) {
    const plan = planRepricing(terms, wanted, versions, target)
    if (plan.outcome === 'kept') totals.kept[plan.reason] += count
    else totals[plan.outcome] += count
  }
  const ids = await listBehindVersion(ctx, { ...behind, afterId, limit: limit + 1 })
  const page = await listRepriced(ctx, ids.slice(0, limit))
  return {
    totals,
    subscriptions: page.map((subscription) => ({
      subscription,
      plan: planRepricing(subscription, wanted, versions, target)
    })),
    nextAfterId: ids.length > limit ? page.at(-1)!.id : null
  }
}
