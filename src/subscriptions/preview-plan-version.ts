import { createHash } from 'node:crypto'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { listPlanVersions, type VersionOffer, type VersionTarget } from '#plans'
import { type KeptReason, planRepricing, type Repricing } from './plan-repricing.ts'
import {
  countByTerms,
  fingerprintBehind,
  listAgreedBefore,
  listBehindVersion,
  listRepriced,
  type Repriced
} from './repricing-queries.ts'

const ID_CHARACTERS = 32

/** How many subscriptions a version would change, and how many keep their terms, by reason. */
export type RepricingTotals = { changed: number; same: number; kept: Record<KeptReason, number> }

export type RepricingPreview = {
  /** Names what the version would do to all of them; another one when any of that is different. */
  id: string
  totals: RepricingTotals
  /** A page, in order of id; `plan` is what the job of the version would do now. */
  subscriptions: { subscription: Repriced; plan: Repricing }[]
  /** The last subscription of the page; null where no page follows. */
  nextAfterId: number | null
}

/**
 * Refuses a version that would do anything else now than the preview with this id said. Returns what has agreed the prices that it showed
 * (`listAgreedBefore`).
 */
export async function assertPreviewed(
  ctx: Ctx,
  planId: number,
  wanted: VersionOffer,
  { target, preview }: { target: Exclude<VersionTarget, 'new'>; preview: string }
): Promise<string[] | null> {
  // First, so that what is agreed meanwhile is not taken for previewed.
  const seen = await listAgreedBefore(ctx, planId)
  if (preview === (await previewId(ctx, planId, wanted, target))) return seen
  throw new Refusal(
    'conflict',
    'preview is not of this version as it would be now: the terms differ, or a subscription, a price or the plan has changed since; preview it again',
    [
      {
        field: 'preview',
        code: 'invalid',
        message: 'must be of a preview of the same version, after which nothing that it shows has changed'
      }
    ]
  )
}

async function previewId(ctx: Ctx, planId: number, wanted: VersionOffer, target: VersionTarget): Promise<string> {
  const { version, priceMinor, interval, intervalCount, creditMinor } = wanted
  const fingerprint = await fingerprintBehind(ctx, { planId, version })
  const about = [ctx.storeId, planId, target, version, priceMinor, interval, intervalCount, creditMinor, fingerprint]
  return createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, ID_CHARACTERS)
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
  // First, so that what changes meanwhile makes the id wrong, not the preview.
  const id = await previewId(ctx, planId, wanted, target)
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
    id,
    totals,
    subscriptions: page.map((subscription) => ({
      subscription,
      plan: planRepricing(subscription, wanted, versions, target)
    })),
    nextAfterId: ids.length > limit ? page.at(-1)!.id : null
  }
}
