import { defineJob, enqueue, type JobOutcome } from '#kit/jobs'
import type { Ctx, Database } from '#kit/postgres'
import { applyPlanVersionJob, followPlanVersionJob, listPlanVersions, type VersionTarget } from '#plans'
import { planRepricing } from './plan-repricing.ts'
import { keptReplacedPrices, pricesReplacedBy } from './replaced-prices.ts'
import { listAgreedSince, listRepriced, lockBehindVersion, markVersion } from './repricing-queries.ts'
import { writeChanges } from './requested-changes.ts'

const BATCH = 2000

type Deps = { db: Database }

/** Runs the job that a new plan version leaves: a batch per run, each in a transaction of its own. */
export const applyPlanVersion = defineJob(followPlanVersionJob, async ({ db }: Deps, storeId, jobs) => {
  const outcomes: JobOutcome[] = []
  for (const { input, renewLease } of jobs) {
    const last = await db.inStore(storeId, async (ctx) => {
      await renewLease(ctx)
      return followVersion(ctx, input)
    })
    outcomes.push(last === null ? { done: true } : { done: false, continues: true, input: { ...input, afterId: last } })
  }
  return outcomes
})

/** The same for a version that a node of an earlier version has added: it keeps prices that were agreed with one person. */
export const applyEarlierPlanVersion = defineJob(applyPlanVersionJob, async ({ db }: Deps, storeId, jobs) => {
  for (const { input, renewLease } of jobs) {
    await db.inStore(storeId, async (ctx) => {
      await renewLease(ctx)
      await enqueue(ctx, followPlanVersionJob, [{ ...input, target: 'list_price', afterId: 0 }])
    })
  }
  return jobs.map(() => ({ done: true }))
})

/**
 * Moves the next batch of a plan's running subscriptions to a version, from their next cycle on: the platform's contracts are
 * edited after the commit, and price and cadence here follow them. A subscription at a later version stays there, and one that keeps
 * its terms stays at its own; so does one whose price was agreed after the preview, also by being created or imported. Returns the last
 * subscription of the batch; null after the last batch.
 */
async function followVersion(
  ctx: Ctx,
  {
    planId,
    version,
    target,
    afterId,
    since,
    seen,
    actorId = null
  }: {
    planId: number
    version: number
    target: Exclude<VersionTarget, 'new'>
    afterId: number
    since?: string
    seen?: string[]
    actorId?: string | null
  }
): Promise<number | null> {
  const versions = new Map((await listPlanVersions(ctx, planId)).map((one) => [one.version, one]))
  const wanted = versions.get(version)
  if (!wanted) return null
  const ids = await lockBehindVersion(ctx, { planId, version, afterId, limit: BATCH })
  // Read after the lock: whoever requests a change of a subscription locks it first.
  const agreed =
    target === 'all' && since ? await listAgreedSince(ctx, ids, Temporal.Instant.from(since), seen ?? null) : null
  const planned = (await listRepriced(ctx, ids)).map((s) => {
    // Nobody has seen these prices in the preview.
    return { s, plan: planRepricing(s, wanted, versions, agreed?.has(s.id) ? 'list_price' : target) }
  })
  await markVersion(
    ctx,
    version,
    planned.flatMap(({ s, plan }) => (plan.outcome === 'kept' ? [] : s.id))
  )
  await writeChanges(
    ctx,
    planned.flatMap(({ s, plan }) => {
      if (plan.outcome !== 'changed') return []
      const { priceMinor, linePriceMinor, interval, intervalCount } = plan
      const { platformPaymentMethodId } = s
      const waiting = {
        priceMinor: s.requestedPriceMinor,
        linePriceMinor: s.requestedLinePriceMinor,
        replaces: s.requestedReplaces
      }
      const isAsRequested = priceMinor === waiting.priceMinor && linePriceMinor === waiting.linePriceMinor
      const replaces = isAsRequested ? keptReplacedPrices(plan, waiting) : pricesReplacedBy(plan, s, waiting)
      const terms = { priceMinor, linePriceMinor, interval, intervalCount, platformPaymentMethodId, replaces }
      return { subscriptionId: s.id, planId: null, ...terms, actor: 'operator' as const, actorId }
    })
  )
  return ids.length === BATCH ? ids.at(-1)! : null
}
